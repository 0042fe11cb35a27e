lblts r1 r2 200
lblts r3 r4 -118
