nop
.offset 0x10
nop
