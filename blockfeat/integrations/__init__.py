"""blockfeat as a part of other tools, a module for each: ``datatrove`` and ``langchain``."""
