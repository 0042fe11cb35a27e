.offset 118
.label _a
nop
lla r3, _a
