"""Notifying: new mentions and spikes to files, programs and people."""
