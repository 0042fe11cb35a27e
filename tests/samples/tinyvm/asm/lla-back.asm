.offset 0x1234
.label _a
nop
lla r3, _a
