.label _a
nop
j _a
