j _a
j _b
nop
.label _a
.label _b
yield
