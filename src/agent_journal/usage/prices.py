"""What a million tokens of a model cost at a time: settings first, then genai-prices.

Importing genai-prices takes 17 times as long as starting Python, so its prices are cached in a
small file beside the catalog, as long as the same version is installed. Its last line is a
checksum: a damaged file is not used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from zlib import crc32

from agent_journal.errors import ConfigError
from agent_journal.store.catalog.sum_classes import QUARTER, SIZES
from agent_journal.text.names import model_name

KINDS = ("input", "cache_read", "cache_write", "cache_write_1h", "output")
SCALE = 10**9  # rates are whole numbers: billionths of a dollar for a million tokens
_FALLBACK = {"cache_read": "input", "cache_write": "input", "cache_write_1h": "cache_write"}
_VERSION = 3
_NAME = "prices.json"


class Price(NamedTuple):
    """Rates from a day on, or in some hours of each day.

    The rate of a kind of token is a list of tiers: (prompts longer than this, rate).
    """

    start_day: int | None  # days since 1970, UTC
    hours: tuple[int, int] | None  # quarters of the day, UTC
    rates: dict[str, list[tuple[int, int]]]


class Tokens(NamedTuple):
    """The tokens of a response, or of many at the same rates.

    `cache_write` includes `cache_write_1h`, those that are cached for an hour.
    """

    input: int | None
    cache_read: int | None
    cache_write: int | None
    cache_write_1h: int | None
    output: int | None

    @property
    def prompt(self) -> int:
        """The length of the prompt, or of all prompts."""
        return (self.input or 0) + (self.cache_read or 0) + (self.cache_write or 0)

    def cost(self, rates: Mapping[str, int]) -> int:
        """In micro-dollars / SCALE: dollars for a million tokens are micro-dollars for each."""
        hour = self.cache_write_1h or 0
        # A damaged record may have more of the one than of both
        short = max(0, (self.cache_write or 0) - hour)
        return (
            (self.input or 0) * rates["input"]
            + (self.cache_read or 0) * rates["cache_read"]
            + short * rates["cache_write"]
            + hour * rates["cache_write_1h"]
            + (self.output or 0) * rates["output"]
        )


class Book:
    """Prices by the agents' names for models; those of settings, by the plain names.

    `version` and `dated` say how old they are.
    """

    def __init__(self, folder: str, overrides: Mapping[str, Any]) -> None:
        self._path = os.path.join(folder, _NAME)
        if not isinstance(overrides, Mapping):
            hint = 'it holds sections like [pricing."model"]'
            raise ConfigError("pricing is a section, not a value", hint)
        self._overrides = {
            model_name(name): _override(name, table) for name, table in overrides.items()
        }
        self._models: dict[str, list[Price] | None] = {}
        self._fixed: dict[tuple[str, int], dict[str, int] | None] = {}  # by model and size class
        self.version = _installed()
        self.dated: str | None = None
        self._load()

    def learn(self, models: Iterable[str]) -> None:
        """Look up the models that are not known yet, all at once."""
        missing = sorted(self.missing(models))
        if missing:
            from agent_journal.usage.lookup import latest_price, look_up

            self.dated = self.dated or latest_price()
            self._models |= {name: look_up(name) for name in missing}
            self._save()

    def missing(self, models: Iterable[str]) -> set[str]:
        """Which of these models have not been looked up yet, and can be."""
        if self.version is None:
            return set()
        unknown = set(filter(None, models)) - self._models.keys()
        return {name for name in unknown if model_name(name) not in self._overrides}

    def models_by_day(self) -> tuple[str, ...]:
        """The models whose price, if they have one, does not depend on the hour."""
        return tuple(
            name
            for name, prices in self._models.items()
            if not any(price.hours for price in prices or ())
        )

    def fixed_models(self) -> tuple[str, ...]:
        """The models that have one price, or none, at all times."""
        return tuple(name for name, prices in self._models.items() if len(prices or ()) < 2)

    def is_priced(self, model: str) -> bool:
        """Whether there is a price for a model, by its plain name."""
        priced = (model_name(name) for name, prices in self._models.items() if prices)
        return model in self._overrides or model in priced

    def rates(self, model: str, quarter: int, size_class: int) -> dict[str, int] | None:
        """The rates of a model at a time, for prompts of a length; None when there is no price."""
        if (model, size_class) in self._fixed:
            return self._fixed[model, size_class]
        prices = self._models.get(model)
        if self._overrides and model_name(model) in self._overrides:
            prices = [self._overrides[model_name(model)]]
        if not prices:
            return None
        # As in genai-prices: the last that applies, else the first.
        price = next((price for price in reversed(prices) if _applies(price, quarter)), prices[0])
        found = _rates(price, size_class)
        if len(prices) == 1:
            self._fixed[model, size_class] = found
        return found

    def _load(self) -> None:
        try:
            with open(self._path, "rb") as file:
                text, _, checksum = file.read().rpartition(b"\n")
            if checksum != _checksum(text):
                return
            saved = json.loads(text)
            if saved["format"] != _VERSION or saved["version"] != self.version:
                return
            models = {name: _loaded(prices) for name, prices in saved["models"].items()}
            self.dated = saved["dated"]
            self._models = models
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return

    def _save(self) -> None:
        from agent_journal.store.atomic import write_private

        prices = {
            "format": _VERSION,
            "version": self.version,
            "dated": self.dated,
            "models": self._models,
        }
        text = json.dumps(prices, separators=(",", ":")).encode()
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            write_private(self._path, [text, b"\n", _checksum(text)])
        except OSError:
            pass  # a journal that cannot be written can still be priced


def _rates(price: Price, size_class: int) -> dict[str, int] | None:
    """The rates for prompts of a length; None when there is none for input or output."""
    found = {kind: _tier(tiers, size_class) for kind, tiers in price.rates.items()}
    for kind, other in _FALLBACK.items():
        if kind not in found and other in found:
            found[kind] = found[other]
    if "input" not in found or "output" not in found:
        return None
    return found


def _checksum(text: bytes) -> bytes:
    return f"{crc32(text):08x}".encode()


def _installed() -> str | None:
    """The version of genai-prices, by the name of the folder beside it.

    importlib.metadata would take as long as the report.
    """
    from importlib.util import find_spec

    spec = find_spec("genai_prices")
    if spec is None or spec.origin is None:
        return None
    packages = os.path.dirname(os.path.dirname(spec.origin))
    versions = [
        name.removeprefix("genai_prices-").removesuffix(".dist-info")
        for name in os.listdir(packages)
        if name.startswith("genai_prices-") and name.endswith(".dist-info")
    ]
    return max(versions, default="unknown")


def _loaded(prices: Any) -> list[Price] | None:
    """The prices of a model, from the saved file."""
    if prices is None:
        return None
    return [Price(start_day, hours, rates) for start_day, hours, rates in prices]


def _applies(price: Price, quarter: int) -> bool:
    per_day = 86_400_000_000 // QUARTER
    if price.start_day is not None and quarter // per_day < price.start_day:
        return False
    if price.hours is None:
        return True
    start, end = price.hours
    now = quarter % per_day
    if start <= end:
        return start <= now < end
    return now >= start or now < end


def _tier(tiers: list[tuple[int, int]], size_class: int) -> int:
    """The rate for prompts of a class: that of the highest tier they reach."""
    if size_class <= 0:
        _, rate = tiers[0]
        return rate
    longest = SIZES[size_class - 1]
    return [rate for start, rate in tiers if start <= longest][-1]


def _override(name: str, table: Any) -> Price:
    where = f'[pricing."{name}"]'
    if not isinstance(table, dict):
        hint = f"it holds {', '.join(KINDS)}: dollars per million tokens"
        raise ConfigError(f"{where} is not a section", hint)
    for key, value in table.items():
        if key not in KINDS:
            raise ConfigError(f"{where}: there is no {key}", f"it holds {', '.join(KINDS)}")
        if not _is_rate(value):
            hint = "accepted: dollars per million tokens"
            raise ConfigError(f"{where}: {key} cannot be {value!r}", hint)
    if "input" not in table or "output" not in table:
        hint = "give them in dollars per million tokens"
        raise ConfigError(f"{where}: input and output are required", hint)
    return Price(None, None, {kind: [(-1, round(value * SCALE))] for kind, value in table.items()})


def _is_rate(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 <= value < 1e6
