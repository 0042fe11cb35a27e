.word r1
