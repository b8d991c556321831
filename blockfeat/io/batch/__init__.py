"""Batches: many documents to files, with a deadline for each page and resumable runs."""
