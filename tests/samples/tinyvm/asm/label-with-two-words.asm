.label _a _b
