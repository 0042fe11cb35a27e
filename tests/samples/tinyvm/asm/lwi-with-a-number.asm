lwi r1, 5
