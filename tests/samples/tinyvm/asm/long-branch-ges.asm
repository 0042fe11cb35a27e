lbges r1 r2 200
lbges r3 r4 -118
