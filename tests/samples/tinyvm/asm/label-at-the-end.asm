j _end
nop
.label _end
