"""The labelling page: a session of `blockfeat.labelling` in the browser."""
