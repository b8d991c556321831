"""The documented views: what people and other programs query."""

from __future__ import annotations

_PAGES = """
SELECT p.url, p.final_url, p.canonical_url, p.status, p.http_status, p.error,
       s.url AS same_as, o.url AS copy_of,
       coalesce(p.lang, p.lang_hint) AS lang, p.title, p.headline, p.text, p.words,
       p.published, p.first_seen, p.fetched_at, substr(coalesce(p.published, p.first_seen), 1, 10) AS day,
       p.host, f.url AS source, p.version, p.attempts, p.encoding, p.metadata, p.warnings, p.model
FROM page p
LEFT JOIN page s ON s.id = p.same_as
LEFT JOIN page o ON o.id = p.copy_of
LEFT JOIN feed f ON f.id = p.feed_id
"""

_MENTIONS = """
SELECT m.key AS id, p.url, m.brand, m.place, m.start, m.stop, m.match, m.sentence, m.block, m.xpath, m.score,
       CASE WHEN m.counted AND p.copy_of IS NULL THEN 1 ELSE 0 END AS counted,
       CASE WHEN NOT m.counted THEN m.because
            WHEN p.copy_of IS NOT NULL THEN 'copy of ' || o.url END AS not_counted_because,
       CASE WHEN m.counted THEN 1 ELSE 0 END AS in_article,
       CASE WHEN p.copy_of IS NULL THEN 0 ELSE 1 END AS in_copy,
       coalesce(p.lang, p.lang_hint) AS lang, substr(coalesce(p.published, p.first_seen), 1, 10) AS day,
       p.host, f.url AS source, p.title, p.published, p.fetched_at, p.version
FROM mention m
JOIN page p ON p.id = m.page_id AND p.version = m.version
LEFT JOIN page o ON o.id = p.copy_of
LEFT JOIN feed f ON f.id = p.feed_id
"""

_VERSIONS = """
SELECT p.url, v.version, v.fetched_at, v.replaced_at, v.status, v.title, v.headline, v.text, v.metadata
FROM version v
JOIN page p ON p.id = v.page_id
"""

_REPLACED_MENTIONS = """
SELECT m.key AS id, p.url, v.version, v.fetched_at, v.replaced_at, m.brand, m.place, m.start, m.stop, m.match,
       m.sentence, CASE WHEN m.counted THEN 1 ELSE 0 END AS in_article
FROM mention m
JOIN page p ON p.id = m.page_id
JOIN version v ON v.page_id = m.page_id AND v.version = m.version
"""

_FEEDS = """
SELECT url, moved_to, retired, kind, title, lang, http_status, error, failures, polled_at FROM feed
"""

VIEWS = {
    "pages": _PAGES,
    "mentions": _MENTIONS,
    "versions": _VERSIONS,
    "replaced_mentions": _REPLACED_MENTIONS,
    "feeds": _FEEDS,
}
