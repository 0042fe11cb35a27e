root r1 r2
