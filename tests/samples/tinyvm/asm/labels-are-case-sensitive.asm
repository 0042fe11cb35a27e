j _A
j _a
nop
.label _A
.label _a
yield
