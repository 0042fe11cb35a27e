nop
nop
add
