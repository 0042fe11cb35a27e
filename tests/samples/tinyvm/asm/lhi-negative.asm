lhi r1, -1
