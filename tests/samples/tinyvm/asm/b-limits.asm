b r1 2
b r1 129
b r1 -1
b r1 -128
