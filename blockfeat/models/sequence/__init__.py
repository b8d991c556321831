"""A residual network over the blocks of a page."""
