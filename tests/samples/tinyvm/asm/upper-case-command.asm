nop
YIELD
