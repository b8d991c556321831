"""Training by particle swarm: search space, fitness, the swarm."""

from blockfeat._extras import require_extra

require_extra("train", what=__name__)
