blts r1 r2 5
blts r3 r4 -128
