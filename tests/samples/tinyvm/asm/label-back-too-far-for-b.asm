.label _a
.offset 129
b r1 _a
