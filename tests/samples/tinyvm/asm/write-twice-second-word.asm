.offset 1
nop
.offset 0
lw r1, 0x1234
