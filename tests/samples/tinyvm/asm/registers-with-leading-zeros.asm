add r01 r002
lw r000, 5
incr r015
