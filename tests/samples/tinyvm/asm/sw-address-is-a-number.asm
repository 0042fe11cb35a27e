sw 5, r1
