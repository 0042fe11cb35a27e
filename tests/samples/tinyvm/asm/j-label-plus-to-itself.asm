nop
.label _a
nop
j _a 1
