j _a
.offset 0
nop
.label _a
