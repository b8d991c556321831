"""What a page says of itself: title, authors, dates, site, address, image and the rest, each with its source."""

from blockfeat.metadata.metadata import Metadata, Moment

__all__ = ["Metadata", "Moment"]
