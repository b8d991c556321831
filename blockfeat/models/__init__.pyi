from blockfeat.models.decoding import DECODERS as DECODERS
from blockfeat.models.model import Model as Model
from blockfeat.models.store import DEFAULT_MODEL as DEFAULT_MODEL
from blockfeat.models.store import bundled_models as bundled_models
from blockfeat.models.store import load_model as load_model
from blockfeat.models.store import save_model as save_model
from blockfeat.models.threshold import ThresholdModel as ThresholdModel
