bles r1 r2 5
bles r3 r4 -128
