sw r1,r2
lw r1 , r2
lwi r1 ,  r2
lw r3,   7
lhi r3 ,7
not r1 , r2
