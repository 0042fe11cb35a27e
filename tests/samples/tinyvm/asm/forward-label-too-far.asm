b r1 _a
.offset 130
.label _a
nop
