j _a
.offset 2049
.label _a
yield
