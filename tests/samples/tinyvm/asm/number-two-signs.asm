.word --5
