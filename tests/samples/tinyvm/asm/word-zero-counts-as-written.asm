.word 0
nop
