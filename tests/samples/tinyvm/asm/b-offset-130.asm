nop
b r1 130
