"""The reader as a service: pages read, coloured, compared and cleaned in a browser, and the same as a JSON API."""

from blockfeat._extras import require_extra

require_extra("web", what=__name__)
