bgts r1 r2 5
bgts r3 r4 -128
