.word 0
.offset 0
.word 0
