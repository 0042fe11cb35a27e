.word 1__0
