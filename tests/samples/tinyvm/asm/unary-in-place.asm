decr r1
incr r2
not r3
popcnt r4
clz r5
ctz r6
rnd r15
