incr R1
