"""Context features (research state)."""

from __future__ import annotations

import numpy as np

from blockfeat.features.hints import bundled_hints
from blockfeat.lang.words import tokenize

FLAG_KINDS = ("positive","negative","advertisement","related","comment","share","consent","newsletter","byline","caption","headline","lead",
    "itembody","nav","aside","header","footer","main","article","form","dialog","figure","li","cell","quote","pre","p","heading","low_heading","section","details","hidden")
NEGATIVE = ("negative","advertisement","related","comment","share","consent","newsletter","nav","aside","footer","form","dialog","hidden")
TERMINALS = frozenset(".!?…。！？।؟\"”“»’')）」』:：")
ENDS = {**{c:1.0 for c in ".!?。！？।؟"}, **{c:1.0 for c in "\"”“»’')）」』"}, ":":0.6, "：":0.6, "…":0.4}


def csum(x):
    out = np.zeros((x.shape[0] + 1, *x.shape[1:]))
    np.cumsum(x, axis=0, out=out[1:])
    return out


class Layout:
    """Containers with blocks, chains of larger ranges, names."""

    def __init__(self, blocks):
        c = blocks.containers
        n = len(blocks)
        keep = np.flatnonzero(c.end_block > c.first_block)
        number = np.full(len(c.elements) + 1, -1, dtype=np.int64)
        number[keep] = np.arange(keep.size)
        self.elements = [c.elements[i] for i in keep.tolist()]
        self.parent = number[c.parent[keep]]
        self.first = c.first_block[keep]
        self.end = c.end_block[keep]
        self.size = self.end - self.first
        self.inner = number[blocks.container]
        hints = bundled_hints()
        found = hints.of(self.elements)
        self.hint = found.bits
        self.bit = {kind: hints.bit(kind) for kind in FLAG_KINDS}
        # nearest ancestor with a larger range
        up = self.parent.copy()
        while True:
            same = (up >= 0) & (self.size[up] == self.size)
            if not same.any():
                break
            up[same] = up[up[same]] if False else self.parent[up[same]]
        self.up = up
        # full-ish path by 5 levels
        names = np.append(found.names.astype(np.uint64) + np.uint64(1), np.uint64(0))
        code = np.zeros(keep.size, dtype=np.uint64)
        at = np.arange(keep.size)
        for k in range(5):
            code = code * np.uint64(1000003) + names[at]
            at = np.where(at >= 0, self.parent[at], -1)
        self.path_code = code
        self.n = n

    def levels(self):
        """Three chains: indices (n,) of the first three containers with more than one block, each larger."""
        l1 = self.inner.copy()
        single = (l1 >= 0) & (self.size[l1] == 1)
        l1[single] = self.up[l1[single]]
        l1 = np.maximum(l1, 0)
        l2 = np.where(self.up[l1] >= 0, self.up[l1], l1)
        l3 = np.where(self.up[l2] >= 0, self.up[l2], l2)
        return l1, l2, l3


def surroundings(L, levels, path, npath, seed, w, extra=True):
    """Columns (n × m) of a seed (good words by block) over the surroundings. names too."""
    n = L.n
    total = seed.sum() + 1e-9
    s = seed / total
    C = csum(s)
    Cw = csum(w)
    cols = {}
    cont = C[L.end] - C[L.first]
    contw = Cw[L.end] - Cw[L.first]
    for k, l in enumerate(levels, 1):
        cols[f"share{k}"] = cont[l]
        cols[f"dens{k}"] = cont[l] * total / (contw[l] + 1.0)
    i = np.arange(n)
    for r in (2, 5, 12):
        lo = np.maximum(i - r, 0); hi = np.minimum(i + r + 1, n)
        cols[f"win{r}"] = C[hi] - C[lo]
        if r != 12:
            cols[f"wdens{r}"] = (C[hi] - C[lo]) * total / (Cw[hi] - Cw[lo] + 1.0)
    ps = np.bincount(path, weights=s, minlength=npath)
    pw = np.bincount(path, weights=w, minlength=npath)
    cols["path_share"] = ps[path]
    cols["path_dens"] = (ps * total / (pw + 1.0))[path]
    cols["before"] = C[:-1]
    cols["after"] = 1 - C[1:]
    # main chain: containers with >= 60 %
    for share, nm in ((0.6, "main"), (0.85, "wide")):
        big = np.flatnonzero(cont >= share - 1e-9)
        if big.size == 0:
            big = np.zeros(1, dtype=np.int64)
        deepest = big[-1]  # preorder: nested chain, last is deepest
        # distinct ranges
        f, e = L.first[big], L.end[big]
        d = np.ones(big.size, dtype=bool); d[1:] = (np.diff(f) != 0) | (np.diff(e) != 0)
        f, e = f[d], e[d]
        steps = np.zeros(n + 1)
        np.add.at(steps, f, 1.0); np.add.at(steps, e, -1.0)
        cols[f"{nm}_steps"] = f.size - np.cumsum(steps)[:-1]
        a, b = L.first[deepest], L.end[deepest]
        cols[f"{nm}_dist"] = np.where(i < a, i - a, np.where(i >= b, i - b + 1, 0)).astype(float)
        if nm == "main":
            cols["main_share"] = np.full(n, (b - a) / n)
            cols["main_pos"] = (i - a) / max(b - a, 1)
            cols["main_cont_dens"] = np.full(n, cont[deepest] * total / (contw[deepest] + 1))
    # nearest strong seeds
    strong = seed >= 8.0
    last = np.where(strong, i, -1); last = np.maximum.accumulate(last)
    prev = np.empty(n, dtype=np.int64); prev[0] = -1; prev[1:] = last[:-1]
    nxt = np.where(strong, i, n + 50); nxt = np.minimum.accumulate(nxt[::-1])[::-1]
    nx = np.empty(n, dtype=np.int64); nx[-1] = n + 50; nx[:-1] = nxt[1:]
    cols["gap_before"] = np.where(prev >= 0, i - prev, 60.0)
    cols["gap_after"] = np.minimum(nx - i, 60.0)
    pad = np.zeros(n + 4); pad[2:-2] = np.log1p(seed)
    for o in (-2, -1, 1, 2):
        cols[f"seed{o:+d}"] = pad[2 + o: 2 + o + n]
    cols["seed"] = np.log1p(seed)
    cols["seed_total"] = np.full(n, np.log1p(total))
    # top share among siblings: rank of block's l3 share
    cols["top_share"] = seed / (seed.max() + 1e-9)
    return cols


def context(measured, eight, parts=None):
    """Return dict of columns."""
    blocks = measured.blocks
    n = len(blocks)
    m = blocks.measures
    w = m.words.astype(float)
    cols = {}
    L = Layout(blocks)
    text = blocks.page_text.text
    ends = blocks.page_text.block_ends.tolist()
    starts = [0] + ends[:-1]
    texts = [text[a:b].strip() for a, b in zip(starts, ends)]
    term = np.array([ENDS.get(t[-1:], 0.0) for t in texts])
    ld = m.anchor_words / np.maximum(w, 1)
    cols["log_words"] = np.log1p(w)
    cols["terminal"] = term
    cols["sentences"] = np.log1p(m.sentences)
    cols["anchor_words"] = np.log1p(m.anchor_words)
    cols["plain_words"] = np.log1p(w - m.anchor_words)
    cols["unspaced"] = m.unspaced_words / np.maximum(w, 1)
    seen = {}
    count = np.zeros(n); 
    for k, t in enumerate(texts):
        seen[t] = seen.get(t, 0) + 1
        count[k] = seen[t]
    tot = np.array([seen[t] for t in texts], dtype=float)
    cols["duplicates"] = tot
    cols["earlier"] = count - 1
    head = np.array([t[:1].isupper() for t in texts], dtype=float)
    cols["first_upper"] = head
    cols["digit_first"] = np.array([t[:1].isdigit() for t in texts], dtype=float)
    cols["commas"] = np.array([t.count(",") + t.count("，") + t.count("、") for t in texts]) / np.maximum(w, 1)
    cols["pipes"] = np.array([t.count("|") + t.count("»") + t.count("/") + t.count("©") + t.count("·") + t.count("›") for t in texts]) / np.maximum(w, 1)
    # title
    root = L.elements[0].getroottree().getroot()
    el = root.find(".//title")
    title = set(tokenize("".join(map(str, el.itertext())))) if el is not None else set()
    hit = np.fromiter(map(title.__contains__, m.tokens), dtype=bool, count=len(m.tokens))
    hits = np.bincount(m.token_block[hit], minlength=n)
    cols["title_cover"] = hits / (len(title) + 1.0)
    cols["title_share"] = hits / np.maximum(w, 1)
    desc = set()
    for meta in root.iterfind(".//meta"):
        if (meta.get("name") or meta.get("property") or "").lower() in ("description", "og:description"):
            desc.update(tokenize(meta.get("content") or ""))
    hit = np.fromiter(map(desc.__contains__, m.tokens), dtype=bool, count=len(m.tokens))
    hits = np.bincount(m.token_block[hit], minlength=n)
    cols["desc_cover"] = hits / (len(desc) + 1.0)
    cols["desc_share"] = hits / np.maximum(w, 1) * (len(desc) > 0)
    # flags by range counts
    Cw = csum(w)
    share_w = (Cw[L.end] - Cw[L.first]) / max(w.sum(), 1)
    hint = L.hint.copy()
    body = np.array([e.tag in ("html", "body") for e in L.elements])
    hint[body] = 0
    shifts = np.array([L.bit[k] for k in FLAG_KINDS])
    B = ((hint[:, None] >> shifts) & 1).astype(float)
    negi = [FLAG_KINDS.index(k) for k in NEGATIVE]
    wide = share_w > 0.6
    B[np.ix_(wide, negi)] = 0.0
    diff = np.zeros((n + 1, shifts.size))
    np.add.at(diff, L.first, B); np.add.at(diff, L.end, -B)
    counts = np.cumsum(diff, axis=0)[:-1]
    for k, kind in enumerate(FLAG_KINDS):
        cols["f_" + kind] = np.minimum(counts[:, k], 3.0)
    inner_bits = hint[L.inner]
    par = np.where(L.parent[L.inner] >= 0, L.parent[L.inner], L.inner)
    own = ((inner_bits[:, None] >> shifts) & 1)
    own2 = ((hint[par][:, None] >> shifts) & 1)
    pos = FLAG_KINDS.index("positive")
    cols["own_pos"] = (own[:, pos] + own2[:, pos]).astype(float)
    cols["own_neg"] = (own[:, negi].any(axis=1) * 1.0 + own2[:, negi].any(axis=1))
    cols["neg_count"] = np.minimum(counts[:, negi].sum(axis=1), 8.0)
    # depth of nearest positive and negative
    depth = np.zeros(len(L.elements))
    for k, p in enumerate(L.parent.tolist()):
        depth[k] = depth[p] + 1 if p >= 0 else 0
    d = depth[L.inner]
    isneg = B[:, negi].any(axis=1)
    ispos = (B[:, pos] > 0)
    dn = np.full(n, -1.0); dp = np.full(n, -1.0)
    for k in np.flatnonzero(isneg).tolist():
        dn[L.first[k]:L.end[k]] = depth[k]
    for k in np.flatnonzero(ispos).tolist():
        dp[L.first[k]:L.end[k]] = depth[k]
    cols["neg_near"] = np.where(dn >= 0, d - dn, 20.0)
    cols["pos_near"] = np.where(dp >= 0, d - dp, 20.0)
    cols["pos_minus_neg"] = np.clip(dp - dn, -8, 8)
    cols["depth"] = d
    # article counts
    art = FLAG_KINDS.index("article")
    arts = np.flatnonzero(((hint >> L.bit["article"]) & 1) > 0)
    cols["n_articles"] = np.full(n, float(min(arts.size, 20)))
    if arts.size:
        aw = share_w[arts]
        best = np.zeros(n)
        for k, v in zip(arts.tolist(), (aw / aw.max()).tolist()):
            best[L.first[k]:L.end[k]] = np.maximum(best[L.first[k]:L.end[k]], v)
        cols["article_share"] = best
    else:
        cols["article_share"] = np.full(n, -1.0)
    h1 = ((L.hint >> bundled_hints().bit("h1")) & 1) > 0
    b1 = np.zeros(n + 1); np.add.at(b1, L.first[h1], 1.0)
    cols["h1_before"] = np.minimum(np.cumsum(b1)[:-1], 4.0)
    cols["n_h1"] = np.full(n, min(h1.sum(), 5.0))
    cols["in_h1"] = np.zeros(n)
    for k in np.flatnonzero(h1).tolist():
        cols["in_h1"][L.first[k]:L.end[k]] = 1.0
    # container link densities
    levels = L.levels()
    Ca = csum(m.anchor_words.astype(float))
    contld = (Ca[L.end] - Ca[L.first]) / np.maximum(Cw[L.end] - Cw[L.first], 1)
    for k, l in enumerate(levels, 1):
        cols[f"ld{k}"] = contld[l]
        cols[f"size{k}"] = np.log1p(L.size[l])
        cols[f"wshare{k}"] = share_w[l]
    avg = (Cw[L.end] - Cw[L.first]) / L.size
    cols["avgw1"] = np.log1p(avg[levels[0]]); cols["avgw2"] = np.log1p(avg[levels[1]])
    u, path = np.unique(L.path_code[L.inner], return_inverse=True)
    pc = np.bincount(path)
    pl = np.bincount(path, weights=m.anchor_words) / np.maximum(np.bincount(path, weights=w), 1)
    cols["path_count"] = np.log1p(pc[path]); cols["path_ld"] = pl[path]
    i = np.arange(n)
    cols["pos"] = i / n
    cols["wpos"] = Cw[:-1] / max(w.sum(), 1)
    cols["n_blocks"] = np.full(n, np.log1p(n))
    cols["total_words"] = np.full(n, np.log1p(w.sum()))
    cols["page_ld"] = np.full(n, m.anchor_words.sum() / max(w.sum(), 1))
    # neighbours
    def shift(x, o, fill=0.0):
        out = np.full(n, fill)
        if o > 0: out[:-o] = x[o:] if n > o else out[:-o]
        else: out[-o:] = x[:o] if n > -o else out[-o:]
        return out
    hd = np.minimum(counts[:, FLAG_KINDS.index("heading")], 1)
    lw = cols["log_words"]
    for o in (-2, -1, 1, 2):
        cols[f"w{o:+d}"] = shift(lw, o); cols[f"ld{o:+d}"] = shift(ld, o, 1.0)
    for o in (-1, 1):
        cols[f"t{o:+d}"] = shift(term, o); cols[f"h{o:+d}"] = shift(hd, o)
        cols[f"samepath{o:+d}"] = (shift(path.astype(float), o, -1.0) == path).astype(float)
    last = np.maximum.accumulate(np.where(hd > 0, i, -1))
    cols["since_heading"] = np.where(last >= 0, np.minimum(i - last, 40), 40.0)
    # seed
    isnegb = np.minimum(cols["neg_count"], 1)
    good = w * np.clip(1 - 2.5 * ld, 0, 1) * np.clip((w - 6) / 14, 0, 1) * np.where(term > 0, 1, 0.5) * np.where(isnegb > 0, 0.3, 1.0)
    # running words of good since heading etc
    for k, v in surroundings(L, levels, path, u.size, good, w).items():
        cols["g_" + k] = v
    return cols, L, levels, path, u.size
