nop
.offset 0
yield
