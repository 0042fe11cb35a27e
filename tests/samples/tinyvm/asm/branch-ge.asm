bge r1 r2 5
bge r3 r4 -128
