lbgt r1 r2 200
lbgt r3 r4 -118
