.label a
