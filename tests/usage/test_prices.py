"""Prices: those of genai-prices, those in the settings, and models without any."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import genai_prices
import pytest
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelPrice, TieredPrices

from agent_journal.store.catalog.sum_classes import QUARTER, SIZES
from agent_journal.text.names import model_name
from agent_journal.usage.prices import KINDS, SCALE, Book
from tests.support.journals import aj, aj_json, variables, write_claude
from tests.support.usage_homes import (
    priced,
)


def test_every_length_from_which_a_price_changes_has_a_class() -> None:
    """When this fails, a new genai-prices knows a length that needs a migration of the sums."""
    starts: set[int] = set()
    for provider in get_snapshot().providers:
        for model in provider.models:
            for price in prices_of(model):
                starts |= tier_starts(price)
    assert starts <= set(SIZES)


def prices_of(model: Any) -> list[ModelPrice]:
    if isinstance(model.prices, ModelPrice):
        return [model.prices]
    return [conditional.prices for conditional in model.prices]


def tier_starts(price: ModelPrice) -> set[int]:
    starts: set[int] = set()
    for kind in KINDS:
        rate = getattr(price, f"{kind}_mtok", None)
        if isinstance(rate, TieredPrices):
            starts |= {tier.start for tier in rate.tiers}
    return starts


def test_prices_are_those_of_genai_prices(tmp_path: Path) -> None:
    """Its own calculation, call by call, at many dates and lengths."""
    book = Book(str(tmp_path), {})
    models = (
        "claude-opus-5-5",
        "claude-sonnet-4-5",
        "claude-sonnet-4",
        "gpt-5",
        "gemini-2.5-pro",
        "deepseek-chat",
    )
    book.learn(models)
    rng = random.Random(6)
    for _ in range(300):
        model = rng.choice(models)
        when = datetime.fromtimestamp(rng.randrange(1_700_000_000, 1_790_000_000) // 900 * 900, UTC)
        fresh, read, write, output = (rng.choice((0, 10, 999, 150_000, 300_000)) for _ in range(4))
        size_class = sum(fresh + read + write > size for size in SIZES)
        rates = book.rates(model, int(when.timestamp() * 1e6) // QUARTER, size_class)
        assert rates is not None, model
        ours = (
            fresh * rates["input"]
            + read * rates["cache_read"]
            + write * rates["cache_write"]
            + output * rates["output"]
        )
        usage = genai_prices.Usage(
            input_tokens=fresh + read + write,
            cache_read_tokens=read,
            cache_write_tokens=write,
            output_tokens=output,
        )
        theirs = genai_prices.calc_price(usage, model, genai_request_timestamp=when).total_price
        assert Decimal(ours) / SCALE == theirs * 1_000_000, (
            model,
            when,
            fresh,
            read,
            write,
            output,
        )


def test_what_is_not_known_is_unpriced_not_free(tmp_path: Path) -> None:
    book = Book(str(tmp_path), {})
    book.learn(["no-such-model-at-all", "unknown"])
    assert not book.is_priced("no-such-model-at-all")
    assert book.rates("no-such-model-at-all", 0, 0) is None
    assert not Book(str(tmp_path), {}).is_priced("unknown")


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ("claude-3-5-haiku-20241022", "claude-3-5-haiku-latest"),
        ("copilot/claude-3.5-sonnet", "claude-3-5-sonnet"),
        ("us.anthropic.claude-3-5-haiku-20241022-v1:0", "claude-3-5-haiku-latest"),
        ("copilot/claude-opus-4.5", "claude-opus-4-5"),
        ("codestral-latest", "codestral-latest"),
    ],
)
def test_a_model_is_looked_up_by_the_name_its_agent_has_for_it(
    tmp_path: Path, model: str, listed: str
) -> None:
    book = Book(str(tmp_path), {})
    book.learn([model])
    usage = genai_prices.Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    when = datetime(2025, 1, 1, tzinfo=UTC)
    price = genai_prices.calc_price(usage, listed, genai_request_timestamp=when).total_price
    rates = book.rates(model, int(when.timestamp() * 1e6) // QUARTER, 0)
    assert rates is not None
    assert Decimal(rates["input"] + rates["output"]) / SCALE == price
    assert book.is_priced(model_name(model))


def test_a_price_in_the_settings_is_for_all_names_of_a_model(tmp_path: Path) -> None:
    book = Book(str(tmp_path), {"claude-haiku-3-5": {"input": 1, "output": 2}})
    book.learn(["claude-3-5-haiku-20241022"])
    rates = book.rates("claude-3-5-haiku-20241022", 0, 0)
    assert rates is not None
    assert (rates["input"], rates["output"]) == (SCALE, 2 * SCALE)


def test_prices_are_looked_up_once(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    first = aj_json(tmp_path, "usage")
    assert first["totals"]["cost_micro_usd"] > 0
    code = (
        "import sys; from agent_journal.cli.main import run; run(['usage', '--json']); "
        "heavy = {'genai_prices', 'pydantic', 'duckdb', 'decimal', 'zoneinfo'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=variables(tmp_path),
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["totals"] == first["totals"]
    assert first["prices"]["version"] == genai_prices.__version__
    assert first["prices"]["dated"] <= datetime.now(UTC).date().isoformat()
    (tmp_path / ".agent-journal/index/prices.json").write_text("{torn")
    assert aj_json(tmp_path, "usage")["totals"] == first["totals"]


def test_damaged_prices_are_looked_up_again(tmp_path: Path) -> None:
    model = "claude-opus-4-1-20250805"
    book = Book(str(tmp_path), {})
    book.learn([model])
    rates = book.rates(model, 0, 0)
    path = tmp_path / "prices.json"
    saved = path.read_bytes()
    assert str(rates["input"]).encode() in saved
    path.write_bytes(saved.replace(str(rates["input"]).encode(), b"7" * 10))
    damaged = Book(str(tmp_path), {})
    damaged.learn([model])
    assert damaged.rates(model, 0, 0) == rates
    assert path.read_bytes() == saved


@pytest.mark.parametrize(
    "text",
    [
        '[pricing."m"]\ninput = 1',
        '[pricing."m"]\ninput = "1"\noutput = 1',
        '[pricing."m"]\ninput = 1\noutput = -1',
        '[pricing."m"]\ninput = 1\noutput = 1\nreads = 1',
        "pricing = 3",
        'pricing.m = "x"',
    ],
)
def test_prices_that_cannot_be_are_named(tmp_path: Path, text: str) -> None:
    priced(tmp_path, text)
    done = aj(tmp_path, "usage")
    assert done.returncode == 2
    assert "pricing" in done.stderr
