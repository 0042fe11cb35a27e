.offset _a
nop
.label _a
