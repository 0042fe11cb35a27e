yield
cpuid
debug
time
nop
ill
