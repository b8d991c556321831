"""The checked HTTP client: http and https, public addresses only, within limits."""
