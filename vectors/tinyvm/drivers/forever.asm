# Counts in r0 and never stops.
.label _loop
incr r0
j _loop
