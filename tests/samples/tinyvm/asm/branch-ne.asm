bne r1 r2 5
bne r3 r4 -128
