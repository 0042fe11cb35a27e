add r0 r1
add r2 r3
add r4 r5
add r6 r7
add r8 r9
add r10 r11
add r12 r13
add r14 r15
