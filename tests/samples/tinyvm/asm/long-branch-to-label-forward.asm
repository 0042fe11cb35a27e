lbeq r1 r2 _a
.offset 0x0200
.label _a
yield
