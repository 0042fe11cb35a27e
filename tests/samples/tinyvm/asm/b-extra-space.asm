b r1   5
