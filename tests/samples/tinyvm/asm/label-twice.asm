.label _a
nop
j _a
.label _a
