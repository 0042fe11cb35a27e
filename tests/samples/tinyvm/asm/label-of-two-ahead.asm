b r2 _a
nop
.label _a
nop
