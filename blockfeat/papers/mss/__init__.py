"""Models over tokens: baselines and local classifiers decoded as one run (Pasternack & Roth 2009)."""
