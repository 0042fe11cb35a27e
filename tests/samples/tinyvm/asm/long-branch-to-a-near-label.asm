.label _a
nop
lbeq r1 r2 _a
