"""Crunch: filters that remove clutter from a page and keep its markup (Gupta, Kaiser, Neistadt & Grimm 2003)."""
