.word -1
.word +1
.word -0x10
.word +0b11
.word -0o7
