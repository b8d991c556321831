"""How good an extraction is: metrics, confidence intervals, scores over labelled pages."""

from blockfeat._extras import require_extra
from blockfeat._lazy import lazy_names
from blockfeat.training.evaluation.evaluate import evaluate as evaluate

require_extra("train", what=__name__)

__getattr__, __dir__ = lazy_names(__name__, __file__)
