.label _a
nop
blt r1 r2 _a
beqz r3 _b
nop
.label _b
nop
