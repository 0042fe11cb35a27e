nop 5
