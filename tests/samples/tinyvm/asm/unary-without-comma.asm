incr r1 r2
