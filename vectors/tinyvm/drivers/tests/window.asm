# Command 3: registers are written by bitmap, all sixteen are read back.
# register 0 = 21
lw r10, 0x0100
lw r11, 21
sw r10, r11
lw r1, 0x0001
lw r2, 0x0100
lw r0, 3
yield
lw r0, 1
yield
lw r13, 0
bne r0 r13 _fail
lw r13, 42
bne r1 r13 _fail
# read everything: bitmap zero
lw r1, 0
lw r2, 0x0100
lw r0, 3
yield
lw r10, 0x0100
lw r10, r10
lw r13, 42
bne r10 r13 _fail
lw r10, 0x010F
lw r10, r10
lw r13, 0
bne r10 r13 _fail
# the testee goes on behind its yield
lw r0, 1
yield
lw r13, 84
bne r1 r13 _fail

# ---- all 5 checks passed
lw r13, 1
lw r12, 0
.label _code
sw r12, r13
incr r12
lw r14, 5
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
