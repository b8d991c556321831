"""Crunch as a model: blocks are kept where their text survives its filters (Gupta, Kaiser, Neistadt & Grimm 2003)."""
