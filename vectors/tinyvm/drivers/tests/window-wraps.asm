# Command 3 with a window that crosses the end of the data memory.
lw r10, 0xFFF8
lw r11, 5
sw r10, r11
lw r10, 0x0007
lw r11, 77
sw r10, r11
lw r1, 0x8001
lw r2, 0xFFF8
lw r0, 3
yield
lw r0, 1
yield
lw r13, 10
bne r1 r13 _fail
lw r1, 0
lw r2, 0xFFF8
lw r0, 3
yield
lw r10, 0xFFF8
lw r10, r10
lw r13, 10
bne r10 r13 _fail
lw r10, 0x0007
lw r10, r10
lw r13, 77
bne r10 r13 _fail
lw r10, 0xFFFF
lw r10, r10
lw r13, 0
bne r10 r13 _fail

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
