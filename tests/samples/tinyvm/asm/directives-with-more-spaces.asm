.word   5
.offset    0x10
.label   _a
nop
j    _a
