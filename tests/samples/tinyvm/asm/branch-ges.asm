bges r1 r2 5
bges r3 r4 -128
