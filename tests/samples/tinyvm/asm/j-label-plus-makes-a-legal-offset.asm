j _a 2
.label _a
nop
nop
