# Yields the low word of its time.
nop
time
mov r0, r3
yield
