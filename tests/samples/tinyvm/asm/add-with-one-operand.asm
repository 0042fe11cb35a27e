add r1
