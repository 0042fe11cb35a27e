nop
yield
