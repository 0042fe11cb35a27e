# One good word, then an illegal, a reserved and a good one.
lw r4, 17
ill
.word 0x7ABC
lw r0, 99
yield
