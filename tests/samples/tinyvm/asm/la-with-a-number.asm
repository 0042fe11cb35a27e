la r1, 5
