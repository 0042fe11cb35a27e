b r1 _a
j _a
.label _b
nop
j _b
.label _a
yield
