.word 1_
