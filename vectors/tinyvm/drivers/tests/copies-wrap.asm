# Commands 4 and 5 across the end of both data memories, and of length zero.
lw r10, 0x0080
lw r11, 7
sw r10, r11
lw r10, 0x0081
lw r11, 8
sw r10, r11
lw r1, 0xFFFF
lw r2, 0x0080
lw r3, 2
lw r0, 4
yield
lw r1, 0x0010
lw r2, 0x0080
lw r3, 0
lw r0, 4
yield
lw r10, 0x0101
lw r11, 0xFFFF
sw r10, r11
lw r10, 0x0102
lw r11, 2
sw r10, r11
lw r1, 0x0006
lw r2, 0x0100
lw r0, 3
yield
lw r0, 1
yield
lw r13, 15
bne r1 r13 _fail
lw r1, 0x0090
lw r2, 0xFFFE
lw r3, 5
lw r0, 5
yield
lw r10, 0x0090
lw r10, r10
lw r13, 0
bne r10 r13 _fail
lw r10, 0x0091
lw r10, r10
lw r13, 7
bne r10 r13 _fail
lw r10, 0x0092
lw r10, r10
lw r13, 8
bne r10 r13 _fail
lw r10, 0x0093
lw r10, r10
lw r13, 15
bne r10 r13 _fail
lw r1, 0xFFFF
lw r2, 0x0000
lw r3, 1
lw r0, 5
yield
lw r10, 0xFFFF
lw r10, r10
lw r13, 8
bne r10 r13 _fail
lw r1, 0x0091
lw r2, 0x0010
lw r3, 1
lw r0, 5
yield
lw r10, 0x0091
lw r10, r10
lw r13, 0
bne r10 r13 _fail

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
