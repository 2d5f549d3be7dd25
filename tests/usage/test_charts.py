"""Charts of `aj usage --plot`."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.journals import aj, write_claude
from tests.support.usage_homes import (
    answer,
    claude,
    priced,
)


def test_a_chart_is_drawn_as_svg(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    chart = tmp_path / "x.svg"
    assert aj(tmp_path, "usage", "--plot", str(chart)).returncode == 0
    assert chart.read_bytes().startswith(b"<svg")
    for other in ("x.png", "x.gif", "x"):
        done = aj(tmp_path, "usage", "--plot", str(tmp_path / other))
        assert (done.returncode, "charts are SVG" in done.stderr) == (2, True)
        assert not (tmp_path / other).exists()
    done = aj(tmp_path, "usage", "--until", "2020-01-01", "--plot", str(chart))
    assert (done.returncode, "no usage in that time, so no chart" in done.stderr) == (2, True)
    assert chart.read_bytes().startswith(b"<svg")


def svg_texts(home: Path, *args: str) -> list[str]:
    aj(home, "sync", "--no-index")
    done = aj(home, "usage", *args, "--plot", str(home / "x.svg"))
    assert done.returncode == 0, done.stderr
    return re.findall(r"<text [^>]*>([^<]*)</text>", (home / "x.svg").read_text())


def test_a_chart_shows_what_is_not_known_and_days_without_use(tmp_path: Path) -> None:
    priced(tmp_path)
    used = {"input_tokens": 1_000_000, "output_tokens": 1_000}
    first, second = answer(1, used), answer(2, used, model="nobody-knows-this-one")
    third = answer(3, used, model="another-unpriced-model")
    second["timestamp"], third["timestamp"] = "2026-11-01T12:00:00.000Z", "2026-11-04T12:00:00.000Z"
    claude(tmp_path, "s1", [first, second, third])
    texts = svg_texts(tmp_path, "daily", "--timezone", "UTC")
    assert "Cost in dollars, daily" in texts
    assert [text for text in texts if text.startswith("2026-")] == [
        f"2026-11-0{day}" for day in (1, 2, 3, 4)
    ]
    assert (texts.count("?"), texts.count("+ ?"), texts.count("hatched, ?: not known")) == (1, 1, 1)
    texts = svg_texts(tmp_path, "model")
    assert {"model-a", "nobody-knows-this-one"} <= set(texts)
    assert texts.count("?") == 2
    assert svg_texts(tmp_path, "monthly")[0] == "Cost in dollars, monthly"


def test_long_names_are_cut_visibly(tmp_path: Path) -> None:
    used = {"input_tokens": 10, "output_tokens": 1}
    claude(
        tmp_path,
        "s1",
        [answer(n, used, model=f"a-model-with-a-name-{n}-that-is-long") for n in range(1, 20, 2)],
    )
    names = [text for text in svg_texts(tmp_path, "model") if text.startswith("a-model")]
    assert len(names) == 10
    assert all(name.endswith("…") for name in names)
