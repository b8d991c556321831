"""The store: SQLite or PostgreSQL through SQLAlchemy Core, written by one run at a time."""
