"""How much of a core watching may take: above 2 % over five minutes, everything waits longer."""

from __future__ import annotations

from collections import deque

WINDOW = 300.0  # seconds
MOST_SHARE = 0.02  # of a core
_STEP = 10.0  # seconds between two looks
_MOST_SLOWNESS = 16


class Budget:
    """Looks at the CPU time of this process now and then, and says how slow to be."""

    def __init__(self, now: float, cpu_seconds: float) -> None:
        self.slowness = 1
        self.share = 0.0  # of a core, in the last window that was full
        self._samples: deque[tuple[float, float]] = deque([(now, cpu_seconds)])

    def look(self, now: float, cpu_seconds: float) -> bool:
        """Take note of the CPU time used so far; whether the slowness changed."""
        if now - self._samples[-1][0] < _STEP:
            return False
        self._samples.append((now, cpu_seconds))
        while len(self._samples) > 2 and now - self._samples[1][0] >= WINDOW:
            self._samples.popleft()
        started, used_before = self._samples[0]
        if now - started < WINDOW:
            return False
        self.share = (cpu_seconds - used_before) / (now - started)
        slowness = self.slowness
        if self.share > MOST_SHARE:
            slowness = min(_MOST_SLOWNESS, 2 * slowness)
        elif self.share < MOST_SHARE / 4:
            slowness = max(1, slowness // 2)
        if slowness == self.slowness:
            return False
        self.slowness = slowness
        self._samples = deque([(now, cpu_seconds)])  # what was before says nothing of this pace
        return True
