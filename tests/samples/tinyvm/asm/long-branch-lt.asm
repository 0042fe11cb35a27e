lblt r1 r2 200
lblt r3 r4 -118
