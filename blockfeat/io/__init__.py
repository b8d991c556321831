"""Inputs and outputs: pages from files, archives and the web; records, tables and folders; batches."""
