lbles r1 r2 200
lbles r3 r4 -118
