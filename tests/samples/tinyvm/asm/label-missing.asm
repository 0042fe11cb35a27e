.label
