.label _
