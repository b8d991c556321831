"""Markup and styles of foreign pages, made safe to show."""
