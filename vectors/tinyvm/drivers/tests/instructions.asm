# Command 6: the instruction memory of the testee can be read, also around its end.
lw r1, 0x0080
lw r2, 0xFFFE
lw r3, 5
lw r0, 6
yield
lw r10, 0x0080
lw r10, r10
lw r13, 0xAAAA
bne r10 r13 _fail
lw r10, 0x0081
lw r10, r10
lw r13, 0xBBBB
bne r10 r13 _fail
lw r10, 0x0082
lw r10, r10
lw r13, 0xA000
bne r10 r13 _fail
lw r10, 0x0083
lw r10, r10
lw r13, 0x2222
bne r10 r13 _fail
lw r10, 0x0084
lw r10, r10
lw r13, 0x102A
bne r10 r13 _fail
lw r0, 1
yield
lw r13, 0
bne r0 r13 _fail
lw r13, 0
bne r1 r13 _fail

# ---- all 7 checks passed
lw r13, 1
lw r12, 0
.label _code
sw r12, r13
incr r12
lw r14, 7
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
