lwi r1, r2
lwi r15, r0
