nop
b r1 -129
