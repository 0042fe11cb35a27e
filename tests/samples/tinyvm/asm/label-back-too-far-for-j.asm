.label _a
.offset 2049
j _a
