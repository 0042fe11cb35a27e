# one

   # three
incr r99
