nop
lbeqz r1 118
