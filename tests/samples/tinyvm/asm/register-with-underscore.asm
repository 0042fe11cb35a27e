incr r1_0
