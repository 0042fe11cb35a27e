.label _a
j r1 _a
