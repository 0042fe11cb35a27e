lw	r1, 5
