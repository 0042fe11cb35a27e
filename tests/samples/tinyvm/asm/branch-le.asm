ble r1 r2 5
ble r3 r4 -128
