.label _a
nop
nop
j _a 1
j _a 5
