nop
j 2050
