.label _a
nop
b r1 _a
j _a
