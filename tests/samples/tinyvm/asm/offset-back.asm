.offset 0x10
nop
.offset 0
yield
