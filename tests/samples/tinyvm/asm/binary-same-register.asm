add r3 r3
xor r15 r15
