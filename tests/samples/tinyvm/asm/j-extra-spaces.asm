j   5
j  r1
j   r1   2
