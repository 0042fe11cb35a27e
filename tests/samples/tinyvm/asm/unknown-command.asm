nop
frob r1
