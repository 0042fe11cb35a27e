incr r-1
