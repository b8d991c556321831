"""From feed to mention: poll, fetch, extract, match, store, report.

What a program needs: `read_config` or `MonitorConfig`, `run_once` and `stay` for runs, `Store` for what they found,
`counts` and `report_page` for reports, and `mentions_in` for pages that something else has fetched.
"""

from blockfeat._extras import require_extra
from blockfeat._lazy import lazy_names

require_extra("monitor", what=__name__)

__getattr__, __dir__ = lazy_names(__name__, __file__)
