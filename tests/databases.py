"""Databases in the PostgreSQL server of the tests."""

from sqlalchemy import create_engine, text


def database(server: str, name: str, options: str = "") -> str:
    """Make an empty database in a server, in place of one of that name; return its address."""
    engine = create_engine(server.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
        connection.execute(text(f"CREATE DATABASE {name} {options}"))
    engine.dispose()
    return server.replace("/postgres?", f"/{name}?")
