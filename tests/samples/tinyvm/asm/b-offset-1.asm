nop
b r1 1
