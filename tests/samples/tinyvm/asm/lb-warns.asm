nop
lb r1 200
