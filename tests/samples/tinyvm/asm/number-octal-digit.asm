.word 0o8
