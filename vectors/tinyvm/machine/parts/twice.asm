add r0 r0
yield
