"""Reports: counts of mentions as table, CSV, and a page with plots."""
