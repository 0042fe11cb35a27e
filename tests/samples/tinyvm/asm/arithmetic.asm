add r1 r2
sub r1 r2
mul r1 r2
mulh r1 r2
divu r1 r2
divs r1 r2
modu r1 r2
mods r1 r2
