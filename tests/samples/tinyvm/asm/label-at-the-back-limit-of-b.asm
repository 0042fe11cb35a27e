.label _a
.offset 128
b r1 _a
