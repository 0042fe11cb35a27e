lw r0, 2
lw r1, 1
lw r2, 0
sw r2, r1
lw r3, 0x650D
incr r2
sw r2, r3
lw r3, 0x4585
incr r2
sw r2, r3
yield
