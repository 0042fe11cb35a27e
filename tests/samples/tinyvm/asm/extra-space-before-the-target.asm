beq r1 r2    5
beqz r1    5
