b r1 r2
