j _a 3
j _a 0
nop
.label _a
yield
