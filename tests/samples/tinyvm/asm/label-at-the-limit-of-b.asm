b r1 _a
.offset 129
.label _a
yield
