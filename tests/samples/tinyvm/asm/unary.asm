decr r1, r2
incr r1, r2
not r1, r2
popcnt r1, r2
clz r1, r2
ctz r1, r2
rnd r1, r2
mov r1, r2
