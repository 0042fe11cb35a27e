.offset 0xFF80
.label _a
nop
.offset 0
la r3, _a
