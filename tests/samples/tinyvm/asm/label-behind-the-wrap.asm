.offset 0xFFFF
nop
.label _a
nop
j _a
