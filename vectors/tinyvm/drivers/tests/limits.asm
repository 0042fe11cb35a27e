# Command 8: a limit is for every hand-over and is not consumed.
lw r1, 0
lw r2, 0
lw r3, 7
lw r0, 8
yield
lw r1, 77
lw r0, 1
yield
lw r13, 1
bne r0 r13 _fail
lw r13, 0
bne r1 r13 _fail
lw r0, 1
yield
lw r13, 1
bne r0 r13 _fail
lw r1, 0
lw r2, 0x0100
lw r0, 3
yield
lw r10, 0x0100
lw r10, r10
lw r13, 7
bne r10 r13 _fail
lw r1, 0
lw r2, 0
lw r3, 1
lw r0, 8
yield
lw r0, 1
yield
lw r1, 0
lw r2, 0x0100
lw r0, 3
yield
lw r10, 0x0100
lw r10, r10
lw r13, 8
bne r10 r13 _fail
lw r1, 0
lw r2, 1
lw r3, 0
lw r0, 8
yield
lw r1, 0
lw r2, 0
lw r3, 0
lw r0, 8
yield
lw r1, 0
lw r2, 0
lw r3, 2
lw r0, 8
yield
lw r0, 1
yield
lw r13, 1
bne r0 r13 _fail

# ---- all 6 checks passed
lw r13, 1
lw r12, 0
.label _code
sw r12, r13
incr r12
lw r14, 6
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
