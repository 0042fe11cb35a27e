jhi r5 0x1200
jhi r0 0
jhi r15 0xFF00
jhi r1 256
