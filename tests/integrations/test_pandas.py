"""``blockfeat.integrations.pandas``."""

import pandas
import pytest

from blockfeat import Extractor, InputError, InputTypeError
from blockfeat.integrations.pandas import extract
from pages import SENTENCES, article_page


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_row_a_page_with_the_index_of_the_frame(jobs: int) -> None:
    pages = [article_page(), None, article_page().encode(), b"%PDF-1.4", float("nan"), 3]
    frame = pandas.DataFrame(
        {"content": pages, "link": ["http://a.example/", None, pandas.NA, "", *"xy"]}, list("abcdef")
    )
    found = extract(frame, "content", url="link", model="thresholds", jobs=jobs)
    assert found.index.equals(frame.index)
    assert found["status"].tolist() == ["ok", "error", "ok", "error", "error", "error"]
    assert SENTENCES[0] in found["text"]["a"]
    assert (found["url"]["a"], found["url"].isna().tolist()[1:4]) == ("http://a.example/", [True, True, True])
    assert found["error"]["b"] == 'row b: "content" is empty'
    assert "PDF" in found["error"]["d"]
    assert "int" in found["error"]["f"]
    assert (found["text"].dtype, found["id"].tolist()) == ("string", list("abcdef"))


def test_rows_with_one_label_and_no_rows() -> None:
    extractor = Extractor.load("thresholds")
    frame = pandas.DataFrame({"html": [article_page()] * 2, "n": [7, 8]}, index=[1, 1])
    assert extract(frame, id="n", model=extractor)["id"].tolist() == ["7", "8"]
    empty = extract(frame.iloc[:0], model=extractor)
    assert (len(empty), empty["text"].dtype) == (0, "string")


def test_options_are_those_of_an_extractor() -> None:
    frame = pandas.DataFrame({"html": [article_page()]})
    plain, headline, markdown = extract(frame), extract(frame, headline=True), extract(frame, format="markdown")
    assert list(extract(frame, columns=["text", "metadata.title"])) == ["text", "metadata.title"]
    assert len(markdown["text"][0]) > len(headline["text"][0]) > len(plain["text"][0])
    with pytest.raises(TypeError):
        extract(frame, smoke=True)
    with pytest.raises(InputError, match="its columns: html"):
        extract(frame, "content")


def test_what_is_no_frame_and_no_one_column_is_refused() -> None:
    page = article_page()
    for pages in (None, [page], pandas.Series([page])):
        with pytest.raises(InputTypeError, match="pages must be in a DataFrame, not a"):
            extract(pages)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="2 columns 'html' in the data frame"):
        extract(pandas.DataFrame([[page, page]], columns=["html", "html"]))
    with pytest.raises(InputError, match="no column None in the data frame"):
        extract(pandas.DataFrame({"html": [page]}), None)  # type: ignore[arg-type]
