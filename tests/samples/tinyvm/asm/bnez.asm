bnez r4 129
bnez r4 -1
