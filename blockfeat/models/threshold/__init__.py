"""Thresholds on features (Ziegler & Skubacz 2007)."""
