incr r16
