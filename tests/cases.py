"""Tables of values for tests, each by the name of the test."""

import tomllib
from pathlib import Path

CASES = tomllib.loads(Path(__file__).with_name("cases.toml").read_text(encoding="utf-8"))
