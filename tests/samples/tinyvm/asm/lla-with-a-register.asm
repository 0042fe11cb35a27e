lla r1, r2
