"""Web2Text: structured labelling of text leaves by two networks and Viterbi (Vogels, Ganea & Eickhoff 2018)."""
