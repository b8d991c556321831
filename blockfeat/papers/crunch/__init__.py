"""Clean a page and keep its markup: the filters of Crunch (Gupta, Kaiser, Neistadt & Grimm 2003)."""
