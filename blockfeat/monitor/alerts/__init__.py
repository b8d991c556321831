"""Alerts: mentions and spikes as messages to people, at once or in digests."""
