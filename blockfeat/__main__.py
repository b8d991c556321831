"""``python -m blockfeat``: the command line."""

from blockfeat.cli import main

if __name__ == "__main__":
    main()
