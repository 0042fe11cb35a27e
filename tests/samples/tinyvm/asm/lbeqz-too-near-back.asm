nop
lbeqz r1 -117
