nop
frob
add r1, r2
