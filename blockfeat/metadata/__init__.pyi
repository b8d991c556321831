from blockfeat.metadata.dates import ZONE_MINUTES as ZONE_MINUTES
from blockfeat.metadata.dates import Moment as Moment
from blockfeat.metadata.dates import find_span as find_span
from blockfeat.metadata.dates import month_number as month_number
from blockfeat.metadata.metadata import Metadata as Metadata
