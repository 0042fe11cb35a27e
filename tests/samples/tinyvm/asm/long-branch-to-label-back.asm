.label _a
.offset 0x0200
lbne r1 r2 _a
