.label _a
nop
la r3, _a
