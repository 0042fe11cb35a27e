nop
j _nowhere
nop
