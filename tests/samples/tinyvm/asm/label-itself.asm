nop
.label _a
j _a
