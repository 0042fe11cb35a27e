lbeqz r1 _a
nop
.label _a
nop
