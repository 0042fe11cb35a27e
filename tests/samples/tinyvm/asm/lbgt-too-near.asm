nop
lbgt r1 r2 2
