nop
jhi r1 -256
