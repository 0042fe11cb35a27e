# The environment words and the zeros at the start.
lw r10, 0xFFFF
lw r10, r10
lw r13, 3
bne r10 r13 _fail
lw r10, 0xFFFE
lw r10, r10
lw r13, 1
bne r10 r13 _fail
lw r10, 0xFFFD
lw r10, r10
lw r13, 0
bne r10 r13 _fail
lw r10, 0x0000
lw r10, r10
lw r13, 0
bne r10 r13 _fail
lw r13, 0
bne r0 r13 _fail
lw r13, 0
bne r9 r13 _fail

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
