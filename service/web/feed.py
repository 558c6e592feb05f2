"""What the service has to tell to whoever listens: pages come and go, and some are slow."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from referee.events import Event

MOST_WAITING = 500
"""Events that a slow listener may lag behind; then it is dropped, and reads the rest from the log."""


@dataclass(frozen=True, slots=True)
class Said:
    """An event that is in the log."""

    game_id: str
    seq: int
    event: Event


class Listener:
    """One page's place in the feed."""

    def __init__(self) -> None:
        self._said: deque[Said] = deque()
        self._stale = True
        self._over = False
        self._wake = asyncio.Event()

    async def news(self, look_every: float) -> AsyncIterator[Said | None]:
        """Each event as it is said; None when there is something new to look at, the first time at once.

        However often the board changes, looks are `look_every` seconds apart at least. Ends when the
        feed is closed or the listener has fallen too far behind.
        """
        clock = asyncio.get_running_loop().time
        look_at = clock()
        while True:
            while self._said:
                yield self._said.popleft()
            if self._over:
                return
            wait: float | None = None
            if self._stale:
                wait = look_at - clock()
                if wait <= 0:
                    self._stale = False
                    look_at = clock() + look_every
                    yield None
                    continue
            self._wake.clear()
            try:
                async with asyncio.timeout(wait):
                    await self._wake.wait()
            except TimeoutError:
                pass

    def _tell(self, said: Said | None) -> None:
        if said is None:
            self._stale = True
        elif len(self._said) < MOST_WAITING:
            self._said.append(said)
        else:
            self._over = True
        self._wake.set()

    def _end(self) -> None:
        self._over = True
        self._wake.set()


class Feed:
    """Passes on events and the news that the view has changed. Never waits for a listener."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()
        self._closed = False

    def say(self, game_id: str, seq: int, event: Event) -> None:
        """Passes on an event that has just been logged."""
        for listener in self._listeners:
            listener._tell(Said(game_id, seq, event))

    def look(self) -> None:
        """Says that the table does not look as it did: counts, hands, lamps, sensor or simulation."""
        for listener in self._listeners:
            listener._tell(None)

    def close(self) -> None:
        """Ends every listener's news, so that a server can stop. May be called twice."""
        self._closed = True
        for listener in self._listeners:
            listener._end()

    @contextmanager
    def listen(self) -> Iterator[Listener]:
        """A listener that misses nothing from here to the end of the block."""
        listener = Listener()
        if self._closed:
            listener._end()
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)
