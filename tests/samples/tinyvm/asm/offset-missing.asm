.offset
