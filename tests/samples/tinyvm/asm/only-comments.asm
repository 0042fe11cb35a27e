# nothing

   
  # here
