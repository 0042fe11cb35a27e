lw r1, 128
lw r2, -129
lw r3, 0xFF7F
lw r4, 0x8000
lw r5, -0x8000
lw r6, 0x1234
