# A driver that reports one pass.
lw r12, 0
lw r13, 1
sw r12, r13
incr r12
lw r13, 0x650D
sw r12, r13
incr r12
lw r13, 0x4585
sw r12, r13
lw r0, 2
lw r1, 1
yield
