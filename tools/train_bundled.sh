#!/usr/bin/env bash
# Train the bundled models on ../shared/corpora; each file records the command that made it.
# CleanEval's test part is left out, so that it stays unseen.
set -euo pipefail
cd "$(dirname "$0")/.."
blockfeat="${BLOCKFEAT:-.venv/bin/blockfeat}"
corpora=()
for name in fundus daniel l3s-gn1 trafilatura wcxb-dev dragnet cleaneval-dev cleanportaleval htmltotext newspaper4k goose3; do
  corpora+=(--corpus "../shared/corpora/$name.jsonl.xz")
done
common=("${corpora[@]}" --seed 1 --jobs 2 --quiet)
"$blockfeat" train "${common[@]}" --table html5 --decoder mss --fitness f1 --output blockfeat/models/bundled/thresholds.json
"$blockfeat" train "${common[@]}" --table ziegler2007 --decoder conjunction --stop-words block --fitness cosine \
  --output blockfeat/models/bundled/ziegler2007.json
