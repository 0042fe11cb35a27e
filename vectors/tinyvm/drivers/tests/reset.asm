# Command 7: registers, data and program counter become zero.
lw r10, 0x0080
lw r11, 0x1234
sw r10, r11
lw r1, 0x0040
lw r2, 0x0080
lw r3, 1
lw r0, 4
yield
lw r10, 0x0105
lw r11, 55
sw r10, r11
lw r1, 0x0020
lw r2, 0x0100
lw r0, 3
yield
lw r1, 0
lw r2, 0
lw r3, 3
lw r0, 8
yield
lw r0, 1
yield
lw r0, 7
yield
lw r13, 7
bne r0 r13 _fail
lw r1, 0
lw r2, 0x0100
lw r0, 3
yield
lw r10, 0x0100
lw r10, r10
lw r13, 0
bne r10 r13 _fail
lw r10, 0x0105
lw r10, r10
lw r13, 0
bne r10 r13 _fail
lw r1, 0x0080
lw r2, 0x0040
lw r3, 1
lw r0, 5
yield
lw r10, 0x0080
lw r10, r10
lw r13, 0
bne r10 r13 _fail
lw r1, 0x0080
lw r2, 0
lw r3, 1
lw r0, 6
yield
lw r10, 0x0080
lw r10, r10
eqz r10
bnez r10 _fail

# ---- all 4 checks passed
lw r13, 1
lw r12, 0
.label _code
sw r12, r13
incr r12
lw r14, 4
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
