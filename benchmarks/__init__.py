"""Benchmarks that are run from a checkout: growth with page size, memory and cold starts, time by stage."""
