.word -0x8000
.word 0xFFFF
.word -32768
.word 65535
.word 0
