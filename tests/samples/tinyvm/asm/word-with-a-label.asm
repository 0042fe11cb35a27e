.label _a
.word _a
