la r3, _a
.offset 0x7F
.label _a
nop
