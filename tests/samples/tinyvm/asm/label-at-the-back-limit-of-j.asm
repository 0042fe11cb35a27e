.label _a
.offset 2048
j _a
