.offset 0x80
.label _a
nop
la r1, _a
