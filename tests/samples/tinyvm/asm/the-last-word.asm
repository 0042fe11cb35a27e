nop
.offset 0xFFFE
nop
