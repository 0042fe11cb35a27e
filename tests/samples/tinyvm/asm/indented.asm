    yield
	nop
  add r1 r2  
