lla r3, _a
.offset 0x1280
.label _a
nop
