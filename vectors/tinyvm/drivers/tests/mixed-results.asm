# Skips do not hurt as long as one test passes.
lw r0, 1
yield
lw r13, 0
bne r0 r13 _fail
lw r8, 4
lw r9, 3
sw r9, r8

# ---- all 3 checks passed
lw r13, 1
lw r12, 0
.label _code
sw r12, r13
incr r12
lw r14, 3
ne r12 r14
b r14 _code
incr r12        # the fourth code is already there
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
