# The time of the testee counts only its own instructions and survives a reset.
lw r0, 1
yield
lw r13, 1
bne r1 r13 _fail
lw r0, 7
yield
lw r0, 1
yield
lw r13, 5
bne r1 r13 _fail
time
lw r13, 0
bne r0 r13 _fail

# ---- all 3 checks passed
lw r13, 1
lw r12, 0
.label _code
sw r12, r13
incr r12
lw r14, 3
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
