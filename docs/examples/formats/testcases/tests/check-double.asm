# Sets r0 of the testee to 21, runs it, and demands that it yields 42.
lw r4, 0x0100
lw r5, 21
sw r4, r5
lw r1, 1         # bit 0: register 0 is written
mov r2, r4       # from here on
lw r0, 3         # command 3: access registers
yield
lw r0, 1         # command 1: execute the testee; r1 is what it yields
yield
lw r6, 42
ne r1 r6         # r6 = 1 if they differ
incr r6          # 1: pass, 2: fail
lw r7, 0
sw r7, r6
incr r7
lw r8, 0x650D
sw r7, r8
incr r7
lw r8, 0x4585
sw r7, r8
lw r1, 1         # one result
lw r0, 2         # command 2: done
yield
