# r0 + r1, and then yield
add r1 r0
yield
