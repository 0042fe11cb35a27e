nop
beqz r1 130
