la r3, _a
nop
.label _a
nop
