yield # stop
nop# directly behind
#yield
  lw r1, 5   # five # six
