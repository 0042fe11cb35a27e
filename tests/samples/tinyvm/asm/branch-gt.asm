bgt r1 r2 5
bgt r3 r4 -128
