mov r3, r3
