nop
lb r1 2050
