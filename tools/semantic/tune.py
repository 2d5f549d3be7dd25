"""Tune a fitted table on pairs of query and passage: BAGS (bags.py) and START (fit.py) -> OUT.

    python tune.py BAGS START OUT [--steps 600] [--rate 0.001] ...

The row of a word w is  scale(c) x start(w) + own(w),  where c is how often w is seen, in powers of
two: ``scale`` is learned by all words that are seen as often, so it also holds for words that no
pair has, while ``own`` decays to zero (``pull``) where pairs say nothing. The weight of unknown
words is learned too.

The loss is InfoNCE both ways with the other pairs of the batch as negatives; a batch is made of
blocks of one source and one kind, since passages of the same project are the hard ones; plus the
distance of each vector from the one that START gives (``keep``), so that meaning stays. Words are
left out at random (``drop``). Sources with crc32(name) % 20 == 0 are kept aside, as in fit.py; the
state with the best mean reciprocal rank on them is taken, mixed with the start as far as that costs
less than a point, and written. Needs torch and numpy; runs on a GPU if there is one.
"""

import argparse
import json
import math
import time

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding_bag, normalize

import bags
import table

SIZE = 1000  # pairs of a kind for validation
SEED = 1
LOSS = 1.0  # points of mean reciprocal rank
PROSE = [bags.KINDS.index(kind) for kind in ("said", "change", "heading", "lead")]


class Ragged:
    """Lists of (word, factor) of all texts, on the device; any of them can form a batch."""

    def __init__(self, made: bags.Bags, chosen: np.ndarray, shift: int, device: str) -> None:
        sizes = np.add.reduceat(np.append(chosen, False).astype(np.int64), made.ends[:-1])
        sizes[np.diff(made.ends) == 0] = 0
        self.ends = torch.tensor(np.concatenate([[0], np.cumsum(sizes)]), device=device)
        self.ids = torch.tensor((made.ids[chosen] - shift).astype(np.int32), device=device)
        self.factors = torch.tensor(
            (1 + np.log(made.times[chosen])).astype(np.float32), device=device
        )

    def take(self, texts: torch.Tensor, rows: torch.Tensor, drop: float = 0.0) -> torch.Tensor:
        """The sums of factor x row of some texts."""
        begin = self.ends[texts]
        sizes = self.ends[texts + 1] - begin
        offsets = torch.cumsum(sizes, 0) - sizes
        places = torch.arange(int(sizes.sum()), device=texts.device) + torch.repeat_interleave(
            begin - offsets, sizes
        )
        factors = self.factors[places]
        if drop:
            factors = factors * (torch.rand(len(factors), device=texts.device) > drop)
        return embedding_bag(
            self.ids[places].long(), rows, offsets, mode="sum", per_sample_weights=factors
        )


class Model(torch.nn.Module):
    """The table while it is tuned."""

    def __init__(self, made: bags.Bags, start: table.Table, device: str) -> None:
        super().__init__()
        count = len(made.vocabulary)
        places = np.searchsorted(start.hashes, table.hashes_of(made.vocabulary))
        rows = start.scales[places, None] * start.rows[places].astype(np.float32)
        level = np.minimum(np.log2(np.maximum(made.spread, 1)).astype(np.int64), 15)
        self.level = torch.tensor(level, device=device)
        self.start = torch.tensor(rows, device=device)
        self.other = torch.tensor(table.sign_rows(made.unknown), device=device)
        self.known = Ragged(made, made.ids < count, 0, device)
        self.unknown = Ragged(made, made.ids >= count, count, device)
        self.own = torch.nn.Parameter(torch.zeros_like(self.start))
        self.scale = torch.nn.Parameter(torch.ones(16, device=device))
        self.weight = torch.nn.Parameter(torch.tensor(float(start.unknown), device=device))

    def rows(self) -> torch.Tensor:
        """The rows of the table's words."""
        return self.scale[self.level, None] * self.start + self.own

    def embed(self, texts: torch.Tensor, rows: torch.Tensor, drop: float = 0.0) -> torch.Tensor:
        """The vectors of some texts."""
        known, unknown = (
            self.known.take(texts, rows, drop),
            self.unknown.take(texts, self.other, drop),
        )
        return normalize(known + self.weight * unknown)

    def first(self, texts: torch.Tensor) -> torch.Tensor:
        """The vectors that the table gave before."""
        with torch.no_grad():
            return normalize(
                self.known.take(texts, self.start)
                + table.UNKNOWN * self.unknown.take(texts, self.other)
            )


def order(made: bags.Bags, block: int, times: int, chance: np.random.Generator) -> np.ndarray:
    """All training pairs, prose repeated ``times``: blocks of one source and kind, shuffled."""
    pairs = np.flatnonzero(~made.aside)
    prose = pairs[np.isin(made.kind[pairs], PROSE)]
    blocks = []
    # each round is cut by itself: the same pair twice in a block would be its own negative
    for part in [pairs, *[prose] * (times - 1)]:
        mixed = part[chance.permutation(len(part))]
        group = made.source[mixed] * len(bags.KINDS) + made.kind[mixed]
        mixed = mixed[np.argsort(group, kind="stable")]
        blocks += [mixed[at : at + block] for at in range(0, len(mixed), block)]
    return np.concatenate([blocks[n] for n in chance.permutation(len(blocks))])


def ranks(model: Model, pairs: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The rank of the right passage for each query."""
    scores = model.embed(2 * pairs, rows) @ model.embed(2 * pairs + 1, rows).T
    return 1 + (scores > scores.diag()[:, None]).sum(1).float()


def percent(places: torch.Tensor) -> tuple[float, float]:
    """R@10 and mean reciprocal rank in per cent."""
    return 100 * float((places <= 10).float().mean()), 100 * float((1 / places).mean())


def validate(model: Model, made: bags.Bags, device: str) -> dict[str, tuple[float, float]]:
    """R@10 and mean reciprocal rank in per cent of each kind, and over all pairs, on the sources
    kept aside.
    """
    found = {}
    places = []
    with torch.no_grad():
        rows = model.rows()
        for number, kind in enumerate(bags.KINDS):
            pairs = np.flatnonzero(made.aside & (made.kind == number))
            # every n-th, not the first: the sources kept aside come one after the other
            picked = pairs[np.linspace(0, len(pairs) - 1, min(SIZE, len(pairs))).astype(int)]
            places.append(ranks(model, torch.tensor(picked, device=device), rows))
            found[kind] = percent(places[-1])
    found["all"] = percent(torch.cat(places))
    return found


def loss_of(model: Model, pairs: torch.Tensor, given: argparse.Namespace) -> torch.Tensor:
    """What a step makes smaller."""
    rows = model.rows()
    query, passage = (
        model.embed(2 * pairs, rows, given.drop),
        model.embed(2 * pairs + 1, rows, given.drop),
    )
    scores = query @ passage.T / given.temperature
    right = torch.arange(len(pairs), device=pairs.device)
    loss = (cross_entropy(scores, right) + cross_entropy(scores.T, right)) / 2
    if given.keep:
        near = (query * model.first(2 * pairs)).sum(1).mean() + (
            passage * model.first(2 * pairs + 1)
        ).sum(1).mean()
        loss = loss + given.keep * (2 - near)
    return loss


def tune(model: Model, made: bags.Bags, given: argparse.Namespace, device: str) -> dict[str, float]:
    """Train; the model ends in its best state."""
    chance = np.random.default_rng(SEED)
    torch.manual_seed(SEED)
    groups = [
        {"params": [model.own], "weight_decay": given.pull},
        {"params": [model.scale, model.weight]},
    ]
    adam = torch.optim.AdamW(groups, lr=given.rate, weight_decay=0.0)
    best = {"mrr": 0.0}
    state = {}
    waiting = np.empty(0, np.int64)
    for step in range(given.steps + 1):
        if step % given.every == 0:
            figures = validate(model, made, device)
            text = " ".join(
                f"{kind} {recall:.1f}/{mrr:.1f}" for kind, (recall, mrr) in figures.items()
            )
            print(f"{step}: {text}; unknown {float(model.weight.detach()):.3f}", flush=True)
            if figures["all"][1] > best["mrr"]:
                best = {"step": step, "recall": figures["all"][0], "mrr": figures["all"][1]}
                state = {name: value.detach().clone() for name, value in model.state_dict().items()}
        if len(waiting) < given.batch:
            waiting = np.concatenate([waiting, order(made, given.block, given.prose, chance)])
        pairs, waiting = torch.tensor(waiting[: given.batch], device=device), waiting[given.batch :]
        for group in adam.param_groups:
            group["lr"] = given.rate * (
                0.02 + 0.98 * (1 + math.cos(math.pi * step / given.steps)) / 2
            )
        adam.zero_grad()
        loss_of(model, pairs, given).backward()
        adam.step()
    model.load_state_dict(state)
    return best


def blend(model: Model, made: bags.Bags, device: str) -> float:
    """Go back towards the start as far as validation loses less than a point; returns the share of
    what was tuned.
    """
    tuned = {name: value.detach().clone() for name, value in model.state_dict().items()}
    top, best = 0.0, 1.0
    for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4):
        go_back(model, tuned, share)
        recall, mrr = validate(model, made, device)["all"]
        print(f"share {share}: {recall:.1f}/{mrr:.2f}", flush=True)
        top = max(top, mrr)
        if mrr > top - LOSS:
            best = share
    go_back(model, tuned, best)
    return best


def go_back(model: Model, tuned: dict[str, torch.Tensor], share: float) -> None:
    """Set the model to a mix of its start and its tuned state."""
    first = {"own": 0.0, "scale": 1.0, "weight": table.UNKNOWN}
    model.load_state_dict(
        {name: first[name] + share * (value - first[name]) for name, value in tuned.items()}
    )


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bags")
    parser.add_argument("start")
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--block", type=int, default=256)
    parser.add_argument("--prose", type=int, default=3)
    parser.add_argument("--every", type=int, default=300)
    parser.add_argument("--batch", type=int, default=8192)
    numbers = {"rate": 1e-3, "pull": 1.0, "keep": 0.3, "drop": 0.2, "temperature": 0.05}
    for name, value in numbers.items():
        parser.add_argument("--" + name, type=float, default=value)
    return parser.parse_args()


def main() -> None:
    """Tune and write."""
    given = arguments()
    begin = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    made = bags.read(given.bags)
    with open(given.start, "rb") as file:
        model = Model(made, table.Table(file.read()), device)
    print(f"{len(made.kind)} pairs on {device}, {time.time() - begin:.0f} s", flush=True)
    best = tune(model, made, given, device)
    best["share"] = blend(model, made, device)
    unknown = float(model.weight.detach())
    packed = table.pack(
        table.hashes_of(made.vocabulary), model.rows().detach().cpu().numpy(), unknown
    )
    with open(given.out, "wb") as out:
        out.write(packed)
    print(
        json.dumps(
            {
                **best,
                "unknown": unknown,
                "bytes": len(packed),
                "seconds": round(time.time() - begin),
                **vars(given),
            }
        )
    )


if __name__ == "__main__":
    main()
