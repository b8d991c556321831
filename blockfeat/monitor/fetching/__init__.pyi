from blockfeat.monitor.fetching.fetcher import Fetcher as Fetcher
from blockfeat.monitor.fetching.options import Fetched as Fetched
from blockfeat.monitor.fetching.options import FetchOptions as FetchOptions
from blockfeat.monitor.fetching.politeness import Clock as Clock
from blockfeat.monitor.fetching.urls import canonical_url as canonical_url
from blockfeat.monitor.fetching.urls import netloc_of as netloc_of
