eq r3 r3
