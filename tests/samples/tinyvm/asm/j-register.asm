j r1
j r2 127
j r3 -128
j r4 0
j r5 -1
