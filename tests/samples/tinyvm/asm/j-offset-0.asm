nop
j 0
