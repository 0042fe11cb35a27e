eqz r1 r2
