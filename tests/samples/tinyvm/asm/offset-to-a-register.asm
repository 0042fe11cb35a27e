.offset r1
