"""What tells the programs of this family apart; their files are otherwise the same.

Cline was copied as Roo Code, and Roo Code as Kilo Code.
"""

from __future__ import annotations


class Product:
    """One program of the family. (A plain class: every sync imports it, and it is made faster.)

    extensions: its folders in the global storage of an editor. counts_cache_as_input: whether
    `tokensIn` of a request includes what was read from and written to the cache. has_own_folder:
    whether there is `~/.cline`, for tasks and for the sessions of the command line.
    """

    def __init__(
        self,
        agent: str,
        title: str,
        extensions: tuple[str, ...],
        *,
        counts_cache_as_input: bool,
        has_own_folder: bool = False,
    ) -> None:
        self.agent = agent
        self.title = title
        self.extensions = extensions
        self.counts_cache_as_input = counts_cache_as_input
        self.has_own_folder = has_own_folder

    @property
    def extract(self) -> str:
        """The name of the extract with the list of tasks from the database of an editor."""
        return f"{self.agent}-tasks.json"


CLINE = Product(
    agent="cline",
    title="Cline",
    extensions=("saoudrizwan.claude-dev",),
    counts_cache_as_input=False,
    has_own_folder=True,
)
ROO_CODE = Product(
    agent="roo-code",
    title="Roo Code",
    extensions=("rooveterinaryinc.roo-cline", "rooveterinaryinc.roo-code-nightly"),
    counts_cache_as_input=True,
)
KILO_CODE = Product(
    agent="kilo-code",
    title="Kilo Code (up to version 5)",
    extensions=("kilocode.kilo-code",),
    counts_cache_as_input=True,
)
PRODUCTS = {product.agent: product for product in (CLINE, ROO_CODE, KILO_CODE)}


def product_at(path: str) -> Product | None:
    """The program in whose folder of an editor a path is."""
    parts = path.replace("\\", "/").split("/")
    for product in PRODUCTS.values():
        if any(extension in parts for extension in product.extensions):
            return product
    return None
