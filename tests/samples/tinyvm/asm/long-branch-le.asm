lble r1 r2 200
lble r3 r4 -118
