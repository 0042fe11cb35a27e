.label _a
lw r1, _a
