beq r3 r3 4
bgt r5 r5 -4
