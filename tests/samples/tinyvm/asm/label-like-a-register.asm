j _r1
nop
.label _r1
yield
