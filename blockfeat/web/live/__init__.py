"""The live page of a monitor: mentions as they come, filtered, charted, with their evidence."""

from blockfeat._extras import require_extra

require_extra("monitor", what=__name__)
