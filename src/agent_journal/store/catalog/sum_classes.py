"""How usage is summed up: by quarters of an hour, and by the length of prompts. No imports."""

from __future__ import annotations

# Microseconds: the days and hours of every time zone begin with a quarter of an hour
QUARTER = 900_000_000
# Prompts of some models cost more from a length on. Rows are summed by how many of these lengths
# their prompt exceeds, so that a sum can be priced like the calls it adds up.
SIZES = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
# Separate classes: calls with a recorded cost, which need no price, and calls of which not all
# tokens were recorded, which cannot be priced.
RECORDED = -1
INCOMPLETE = -2
