nop
bgt r1 r2 1
