lw r1, r2
lw r4, r4
