nop
lez r1
