lbeq r1 r2 200
lbeq r3 r4 -118
