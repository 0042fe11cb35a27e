lbnez r1 119
lbgtsz r2 119
lbgesz r3 119
lbltsz r4 119
lblesz r5 119
