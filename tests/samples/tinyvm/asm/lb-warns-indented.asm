  lb r1 -118
     lb r2 2049
