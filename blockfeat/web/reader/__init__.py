"""The reader: a page as an article, its blocks coloured and explained, and the JSON API."""
