blt r1 r2 5
blt r3 r4 -128
