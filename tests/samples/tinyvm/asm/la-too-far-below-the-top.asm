.offset 0xFF7F
.label _a
nop
la r1, _a
