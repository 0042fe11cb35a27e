lbeqz r1 2049
lbeqz r1 -2048
