.word 007
