and r1 r2
or r1 r2
xor r1 r2
sl r1 r2
srl r1 r2
sra r1 r2
