# Yields: the value arrives in r1, the testee goes on behind them.
lw r0, 1
yield
lw r13, 0
bne r0 r13 _fail
lw r13, 42
bne r1 r13 _fail
lw r0, 1
yield
lw r13, 0
bne r0 r13 _fail
lw r13, 43
bne r1 r13 _fail
lw r1, 1
lw r0, 9
yield
lw r0, 1
yield
lw r13, 43
bne r1 r13 _fail
lw r0, 1
yield
lw r13, 44
bne r1 r13 _fail
lw r0, 1
yield
lw r13, 0xFFFF
bne r0 r13 _fail
lw r13, 0
bne r1 r13 _fail

# ---- all 8 checks passed
lw r13, 1
lw r12, 0
.label _code
sw r12, r13
incr r12
lw r14, 8
ne r12 r14
b r14 _code
j _report
# ---- a check failed: a single result "fail"
.label _fail
lw r12, 0
lw r13, 2
sw r12, r13
incr r12
.label _report
mov r1, r12
lw r13, 0x650D
sw r12, r13
incr r12
lw r13, 0x4585
sw r12, r13
lw r0, 2
yield
