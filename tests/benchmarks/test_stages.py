"""The profile by stage: the chain is taken apart as the extractor runs it."""

import pytest

from benchmarks.stages import STAGES, profile_stages
from blockfeat.errors import InputError
from blockfeat.extraction.extractor import Extractor

PAGE = (
    "<html lang=en><title>A walk</title><script>x</script><body><nav><a href=/>Home</a></nav>"
    + "<p>We went up the hill, and when we had come to the top of it we saw the sea.</p>" * 9
)


@pytest.fixture(scope="module", params=["thresholds", "web2text"])
def extractor(request: pytest.FixtureRequest) -> Extractor:
    return Extractor.load(request.param)


def test_every_stage_takes_time(extractor: Extractor) -> None:
    profile = profile_stages(extractor, [PAGE.encode(), PAGE], passes=2)
    assert tuple(profile.seconds) == STAGES
    assert all(seconds >= 0 for seconds in profile.seconds.values())
    assert all(profile.seconds[stage] > 0 for stage in ("page", "features", "prediction", "extraction"))
    assert (profile.pages, profile.passes, profile.model) == (2, 2, extractor.model.name)
    assert profile.total == pytest.approx(sum(profile.seconds.values()))
    with pytest.raises(InputError):
        profile_stages(extractor, [])


def test_table_and_frame(extractor: Extractor) -> None:
    profile = profile_stages(extractor, [PAGE], passes=1)
    lines = profile.to_markdown().splitlines()
    assert len(lines) == len(STAGES) + 3
    assert lines[-1].startswith("| all |")
    assert profile.to_frame()["share"].sum() == pytest.approx(1)
