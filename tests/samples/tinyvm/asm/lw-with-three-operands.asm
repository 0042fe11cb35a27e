lw r1, r2, r3
