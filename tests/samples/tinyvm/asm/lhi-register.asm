lhi r1, r2
