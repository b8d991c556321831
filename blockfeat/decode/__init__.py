"""Scores to labels: conjunction and maximum subsequence."""

from blockfeat.decode.constrained import best_run_within, truncate_run
from blockfeat.decode.decoder import DECODERS, Decoder, decode
from blockfeat.decode.maximal import maximal_runs, top_runs
from blockfeat.decode.runs import best_run, best_run_masks, best_runs

__all__ = [
    "DECODERS",
    "Decoder",
    "best_run",
    "best_run_masks",
    "best_run_within",
    "best_runs",
    "decode",
    "maximal_runs",
    "top_runs",
    "truncate_run",
]
