beqz r1 5
bgtsz r2 5
bgesz r3 5
bltsz r4 5
blesz r5 5
