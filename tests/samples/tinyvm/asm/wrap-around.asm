.offset 0xFFFF
nop
yield
