# r0 = 3 * r0
mov r1, r0
add r1 r0
add r1 r0
yield
