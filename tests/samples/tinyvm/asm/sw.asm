sw r1, r2
sw r15, r0
