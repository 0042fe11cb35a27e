nop
j -2049
