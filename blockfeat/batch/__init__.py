"""Many documents to files, with a deadline for each and resumption."""
