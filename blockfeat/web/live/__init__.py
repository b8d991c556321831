"""The live page of a monitor: mentions as they are found, filtered, charted, with their evidence."""

from blockfeat._extras import require_extra

require_extra("monitor", what=__name__)
