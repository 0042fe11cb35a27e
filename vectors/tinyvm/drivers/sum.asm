# r1 = first address, r2 = number of words; yields their sum and stores it behind them.
lw r0, 0
b r2 _next
j _end
.label _next
lw r3, r1
add r3 r0
incr r1
decr r2
b r2 _next
.label _end
sw r1, r0
yield
