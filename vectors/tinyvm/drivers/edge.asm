# Known words around the end of the instruction memory.
j 2
.word 0x2222
yield
.offset 0xFFFE
.word 0xAAAA
.word 0xBBBB        # the write position wraps here: a warning
