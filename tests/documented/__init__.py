"""The code blocks of README and docs: found, prepared for, run, or at least parsed. CONTRIBUTING.md has the rules."""
