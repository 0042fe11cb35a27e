nop
j _a
.label _a
nop
