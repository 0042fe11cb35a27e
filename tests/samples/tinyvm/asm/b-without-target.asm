b r1
