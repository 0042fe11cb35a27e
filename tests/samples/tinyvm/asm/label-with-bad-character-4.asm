nop
.label _a)b
