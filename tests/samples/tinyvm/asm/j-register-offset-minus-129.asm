nop
j r1 -129
