incr r
