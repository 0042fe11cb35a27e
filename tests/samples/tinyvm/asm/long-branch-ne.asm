lbne r1 r2 200
lbne r3 r4 -118
