beq r1  r2 5
