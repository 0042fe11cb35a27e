# r0 := 2 * r0, and then yield
add r0 r0
yield
