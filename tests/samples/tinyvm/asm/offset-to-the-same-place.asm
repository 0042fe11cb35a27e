nop
.offset 1
yield
