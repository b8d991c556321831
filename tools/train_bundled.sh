#!/usr/bin/env bash
# Train the bundled models anew: each by its configuration in blockfeat/training/configs, crunch by its experiment, on the
# corpora in $CORPORA.
# Usage: tools/train_bundled.sh [FOLDER] [MODEL]…     by default all models into blockfeat/models/bundled
#
# Each file records the command that made it. CleanEval's test part is left out, so that it stays unseen; goose3, whose
# gold texts were cut short by machine, is left out of margin and default; so are the pages of experiments/wrong_gold.jsonl.
# default alone learns from structured-dev, andy, xmu, harvest and lists too: documentation, blogs and wikis; news; threads,
# listings and products.
# mss-supervised-hr has the counts of mss-supervised, beside which it lies; longest-block, mss-simple and crunch2003 are
# not trained.
set -euo pipefail
cd "$(dirname "$0")/.."
blockfeat="${BLOCKFEAT:-.venv/bin/blockfeat}"
python="${PYTHON:-.venv/bin/python}"
corpora="${CORPORA:-../shared/corpora}"
folder="${1:-blockfeat/models/bundled}"
shift || true
models=("$@")
[ "${#models[@]}" -gt 0 ] || models=(thresholds ziegler2007 margin crunch mss-supervised web2text default)

common=(fundus daniel l3s-gn1 trafilatura wcxb-dev dragnet cleaneval-dev cleanportaleval htmltotext newspaper4k)
beside=(structured-dev andy xmu harvest lists)

train() { # MODEL SUFFIX SPLIT CORPUS…
  local model="$1" suffix="$2" split="$3" options=()
  shift 3
  for name in "$@"; do options+=(--corpus "$corpora/$name.jsonl.xz"); done
  "$blockfeat" train --config "$model" --split "$split" --seed 1 --jobs 2 --quiet "${options[@]}" "${leave_out[@]}" \
    --output "$folder/$model$suffix"
}

for model in "${models[@]}"; do
  leave_out=()
  case "$model" in
    thresholds | ziegler2007) train "$model" .json 0.7 "${common[@]}" goose3 ;;
    # Corpora are left out whole, to measure on (docs/crunch.md).
    crunch)
      "$python" -m experiments.crunch --split 0.7 --seed 1 --jobs 2 --quiet --output "$folder/$model.json" \
        --corpus "$corpora"/{daniel,l3s-gn1,wcxb-dev,dragnet,cleaneval-dev}.jsonl.xz ;;
    margin) leave_out=(--leave-out experiments/wrong_gold.jsonl) && train "$model" .json 1 "${common[@]}" ;;
    mss-supervised | web2text) train "$model" .npz 1 "${common[@]}" goose3 ;;
    default) leave_out=(--leave-out experiments/wrong_gold.jsonl) && train "$model" .npz 1 "${common[@]}" "${beside[@]}" ;;
    *) echo "unknown model: $model" >&2; exit 2 ;;
  esac
done
