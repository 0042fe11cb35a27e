gtz r1
