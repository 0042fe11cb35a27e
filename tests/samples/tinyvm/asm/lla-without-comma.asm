.label _a
lla r1 _a
