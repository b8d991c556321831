"""The chain as one object: pages to extractions with evidence."""
