nop
j r1 128
