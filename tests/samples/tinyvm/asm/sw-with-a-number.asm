sw r1, 5
