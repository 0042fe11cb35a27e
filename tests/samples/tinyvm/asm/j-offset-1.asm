nop
j 1
