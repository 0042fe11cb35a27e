.offset 0b100
nop
.offset 0o20
nop
.offset 1_00
nop
