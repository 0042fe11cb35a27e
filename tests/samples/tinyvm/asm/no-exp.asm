exp r1 r2
