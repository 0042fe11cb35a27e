lw r0, 0
lw r1, 127
lw r2, -128
lw r3, -1
lw r4, 0xFFFF
lw r5, 0xFF80
