lw r1 r2
