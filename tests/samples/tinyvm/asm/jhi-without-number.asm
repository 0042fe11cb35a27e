jhi r1
