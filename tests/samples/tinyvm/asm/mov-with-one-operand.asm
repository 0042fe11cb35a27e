mov r3
