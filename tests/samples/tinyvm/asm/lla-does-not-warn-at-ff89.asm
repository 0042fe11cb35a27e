.offset 0xFF89
.label _a
nop
lla r3, _a
