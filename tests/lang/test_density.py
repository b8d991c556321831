"""Stop-word densities: a value for every list, in the order that languages have."""

import pytest

from blockfeat.errors import LanguageError
from blockfeat.lang.stopwords import available_languages, density


def test_every_language_has_a_density() -> None:
    assert all(0.03 < density(lang) < 0.8 for lang in available_languages())


def test_analytic_languages_are_denser_than_agglutinative_ones() -> None:
    assert density("ko") < density("en")
    assert density("tr") < density("ru") < density("de") < density("es")
    with pytest.raises(LanguageError, match="tlh"):
        density("tlh")
