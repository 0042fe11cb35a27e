lbge r1 r2 200
lbge r3 r4 -118
