.word 0b12
