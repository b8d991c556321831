"""Token models: baselines and local classifiers, decoded as one run of tokens (Pasternack & Roth 2009)."""
