"""Soft thresholds with weights, decoded as a chain."""
