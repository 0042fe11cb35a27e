.data 5
