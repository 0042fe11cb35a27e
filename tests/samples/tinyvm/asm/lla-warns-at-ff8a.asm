.offset 0xFF8A
.label _a
nop
lla r3, _a
