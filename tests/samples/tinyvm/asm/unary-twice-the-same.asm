decr r1, r1
rnd r0, r0
