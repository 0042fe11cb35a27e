j _a+1,b
nop
.label _a+1,b
j _9
nop
.label _9
j __
nop
.label __
