beq r1 r2 5
beq r3 r4 -128
