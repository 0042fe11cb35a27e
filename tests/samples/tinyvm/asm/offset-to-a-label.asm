nop
.label _a
.offset 0x20
nop
.offset _a
yield
