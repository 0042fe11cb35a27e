.word 1_000
.word 0xAB_CD
.word 0b1111_0000
.word 6_5_5_3_5
