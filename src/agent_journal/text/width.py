"""How wide text is on a terminal, and text cut to a width.

Wide letters (Chinese, Japanese, Korean, emoji) take two columns, marks on letters none. Where
terminals differ, as with joined emoji, the larger width counts: a line may end early, but does
not wrap.
"""

from __future__ import annotations

from collections.abc import Iterator

ELLIPSIS = "…"
_EMOJI_STYLE = "\ufe0f"  # asks for the letter before it as an emoji
_SOFT_HYPHEN = "\xad"
_FIXED_SPACE = "\xa0"  # no line ends there
_LEAST_SHARE = 0.5  # of a width, which text keeps that is cut between words
_LONGEST_WORD = 30  # letters that are moved to the next line; longer words are cut


def display_width(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(map(_WIDTHS.__getitem__, text))


def cut_to_width(text: str, width: int) -> str:
    """Return a text that takes at most so many columns; … stands for what was cut off."""
    if display_width(text) <= width:
        return text
    end = fitting(text, 0, width - 1)
    return text[:end].rstrip() + ELLIPSIS


def cut_at_word(text: str, width: int) -> str:
    """Return a text cut to a width as `cut_to_width` does, but between words where possible."""
    if display_width(text) <= width:
        return text
    end = line_end(text, 0, width - 1)
    if display_width(text[:end]) < width * _LEAST_SHARE:  # a long word would take too much away
        return cut_to_width(text, width)
    return text[:end].rstrip() + ELLIPSIS


def cut_path(path: str, width: int) -> str:
    """Return the end of a path that takes at most so many columns, after a …."""
    if display_width(path) <= width:
        return path
    start = len(path) - fitting(path[::-1], 0, width - 1)
    for place in range(start, len(path) - 1):
        if path[place] in "/\\":
            return ELLIPSIS + path[place:]
    return ELLIPSIS + path[start:]


def pad_to_width(text: str, width: int) -> str:
    """Return a text followed by as many spaces as it takes to fill a width."""
    return text + " " * (width - display_width(text))


def fitting(text: str, start: int, width: int) -> int:
    """Return the end of the longest part from `start` on that takes at most so many columns."""
    if text.isascii():  # which Python knows without looking at the letters
        return min(len(text), start + max(0, width))
    room = width
    for place in range(start, len(text)):
        room -= _WIDTHS[text[place]]
        if room < 0:
            return place
    return len(text)


def line_end(text: str, start: int, width: int, longest_word: int = _LONGEST_WORD) -> int:
    """Return where a line of that width ends which begins at `start`: between words.

    It ends inside a word that is longer than the longest one.
    """
    end = fitting(text, start, width)
    if end >= len(text) or _can_end_at(text[end]):
        return end
    if end > start and (_WIDTHS[text[end]] > 1 or _WIDTHS[text[end - 1]] > 1):
        return end  # Chinese and Japanese have no spaces: a line may end at every letter
    earliest = max(start + 1, end - longest_word)
    space = text.rfind(" ", earliest, end)
    if space >= 0:
        return space
    folder = max(text.rfind("/", earliest, end), text.rfind("\\", earliest, end))
    if folder >= 0:
        return folder + 1
    return end


def _can_end_at(letter: str) -> bool:
    """Whether a line may end before a letter because it is a space."""
    return letter.isspace() and letter != _FIXED_SPACE


def wrapped(text: str, width: int) -> list[str]:
    """Return a line as lines of at most that width, which end between words."""
    return [text[start:end].rstrip() for start, end in wrapped_parts(text, width, width)]


def wrapped_parts(
    text: str, width: int, later_width: int, longest_word: int = _LONGEST_WORD
) -> Iterator[tuple[int, int]]:
    """Return where the parts of a line begin and end that fit the first and the later lines."""
    start = 0
    room = width
    while True:
        # A letter that is wider than the line stands alone on one.
        end = max(start + 1, line_end(text, start, room, longest_word))
        yield start, min(end, len(text))
        start = end
        while text[start : start + 1] == " ":
            start += 1
        if start >= len(text):
            return
        room = later_width


class _Widths(dict[str, int]):
    """The widths of letters, each looked up once."""

    def __missing__(self, letter: str) -> int:
        width = _letter_width(letter)
        self[letter] = width
        return width


def _letter_width(letter: str) -> int:
    if letter.isascii() or letter == ELLIPSIS:
        return 1
    import unicodedata  # which most commands never need

    if letter == _EMOJI_STYLE:
        return 1
    if letter != _SOFT_HYPHEN and unicodedata.category(letter) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    if unicodedata.east_asian_width(letter) in ("W", "F"):
        return 2
    return 1


_WIDTHS = _Widths()
