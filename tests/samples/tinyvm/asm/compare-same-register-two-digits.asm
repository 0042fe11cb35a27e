ges r12 r12
