"""Scores to labels: conjunction and maximum subsequence."""

from blockfeat.decode.decoder import DECODERS, Decoder, decode
from blockfeat.decode.runs import best_run, best_run_masks, best_runs

__all__ = ["DECODERS", "Decoder", "best_run", "best_run_masks", "best_runs", "decode"]
