nop
b r1 0
