nop
.offset 0xFFFF
nop
nop
