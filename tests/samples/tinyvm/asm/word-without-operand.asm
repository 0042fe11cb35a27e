.word
