# Yields twice its first register, again and again.
.label _again
add r0 r0
yield
j _again
