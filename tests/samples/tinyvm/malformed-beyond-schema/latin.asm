yield # ä
