"""What makes vectors: the built-in word table, a model of the user, or hashes of letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy

    from agent_journal.config.loading import Config


# How much a word of a query counts; only what makes vectors of single words can ask
Weigh = Callable[[str], float]


class Embedder(Protocol):
    """Makes vectors of length 1. Imports what it needs when it is first used."""

    unlike: float  # texts with a smaller cosine have nothing to do with each other
    is_slow: bool  # a sync makes only a few of its vectors, `aj sync --embed` the rest

    @property
    def name(self) -> str:
        """Which one it is: vectors of another one are rebuilt."""

    @property
    def dims(self) -> int:
        """How many numbers a vector has."""

    @property
    def units(self) -> int:
        """How many units of an int8 are 1.0; more than 127 where all numbers are small."""

    def knows(self, word: str) -> bool:
        """Whether a word has a meaning for it; where that cannot be known, it has."""

    def embed(self, text: str, weigh: Weigh | None = None) -> Sequence[float] | None:
        """The vector of a query; None when nothing in it has a meaning."""

    def embed_many(self, texts: list[str]) -> numpy.ndarray[Any, Any]:
        """A row for each text; one of zeros for a text without a meaning."""


def choose_embedder(config: Config) -> tuple[Embedder | None, str]:
    """The embedder that the settings ask for, and why it is not the one at `model_path`.

    None: no vectors are made.
    """
    if not config.get("index.vector.enabled"):
        return None, "vectors are turned off (index.vector.enabled)"
    why = ""
    path = config.get("index.vector.model_path")
    if isinstance(path, str):
        from agent_journal.search.onnx import Model

        model = Model(path)
        why = model.problem()
        if not why:
            return model, ""
    fallback = config.get("index.vector.fallback")
    if fallback == "hash":
        from agent_journal.search.hashing import Hashes

        return Hashes(), why
    if fallback == "none":
        no_model = "there is no model (index.vector.model_path) and index.vector.fallback is none"
        return None, why or no_model
    from agent_journal.search.meaning import Table

    return Table(), why
