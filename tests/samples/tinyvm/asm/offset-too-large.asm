.offset 65536
