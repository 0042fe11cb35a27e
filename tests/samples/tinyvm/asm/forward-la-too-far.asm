la r1, _a
.offset 0x80
.label _a
nop
