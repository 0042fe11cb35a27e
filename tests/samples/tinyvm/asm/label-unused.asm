nop
.label _a
nop
