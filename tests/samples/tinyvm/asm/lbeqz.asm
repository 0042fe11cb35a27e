lbeqz r4 -200
lbeqz r5 119
