.offset -1
