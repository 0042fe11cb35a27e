j _a
j _a
b r3 _a
nop
.label _a
yield
