"""The labelling page: a session of `blockfeat.web.labelling` in the browser."""
