.offset 117
.label _a
nop
  lla r3, _a
