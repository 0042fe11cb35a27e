add r1 5
