yield r0
