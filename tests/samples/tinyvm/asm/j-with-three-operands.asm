j r1 2 3
