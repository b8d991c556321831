"""Content: what is kept of a page as a tree of headings, lists, tables …, and the formats that are written from it."""
