# Commands 4 and 5: data goes to the testee and comes back.
lw r10, 0x0080
lw r11, 100
sw r10, r11
lw r10, 0x0081
lw r11, 20
sw r10, r11
lw r10, 0x0082
lw r11, 3
sw r10, r11
lw r1, 0x0200
lw r2, 0x0080
lw r3, 3
lw r0, 4
yield
lw r13, 0x0200
bne r1 r13 _fail
lw r10, 0x0101
lw r11, 0x0200
sw r10, r11
lw r10, 0x0102
lw r11, 3
sw r10, r11
lw r1, 0x0006
lw r2, 0x0100
lw r0, 3
yield
lw r0, 1
yield
lw r13, 0
bne r0 r13 _fail
lw r13, 123
bne r1 r13 _fail
lw r1, 0x0300
lw r2, 0x0200
lw r3, 4
lw r0, 5
yield
lw r10, 0x0300
lw r10, r10
lw r13, 100
bne r10 r13 _fail
lw r10, 0x0303
lw r10, r10
lw r13, 123
bne r10 r13 _fail

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
