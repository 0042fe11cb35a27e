gtsz r1
eqz r2
gesz r3
ltsz r4
nez r5
lesz r15
