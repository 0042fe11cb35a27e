lhi r0, 0
lhi r1, 0xFF
lhi r2, 18
