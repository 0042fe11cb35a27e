lw r3, 200
