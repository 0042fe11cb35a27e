nop
.offset 2
nop
.offset 1
yield
