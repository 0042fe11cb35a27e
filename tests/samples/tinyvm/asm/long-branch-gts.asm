lbgts r1 r2 200
lbgts r3 r4 -118
