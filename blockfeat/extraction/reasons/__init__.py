"""Why blocks are kept or dropped: classes that a layman knows, facts that can be seen, what would change it."""
