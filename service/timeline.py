"""One time for several sensors: each has a clock of its own, and they drift apart."""

AT_ONCE_S = 1.0
"""Seconds apart from which a clock is set anew: its sensor was away, or has just come."""
SHARE = 0.01
"""Of the rest, what each reading makes good: late deliveries even out, and a drift of 0.5 % leaves 6 ms."""


class Timeline:
    """Brings the times of several sensors' readings to the one of whoever receives them."""

    def __init__(self) -> None:
        self._shift: dict[str, float] = {}
        self._last: dict[str, float] = {}

    def common(self, sensor: str, t: float, now: float) -> float:
        """When a reading was taken, by the receiver's clock, never before the one that came before it.

        Args:
            t: when it was taken, seconds of the sensor's own clock.
            now: when it has arrived, seconds of the receiver's.
        """
        shift = self._shift.setdefault(sensor, now - t)
        apart = now - (t + shift)
        shift += apart if abs(apart) > AT_ONCE_S else SHARE * apart
        self._shift[sensor] = shift
        self._last[sensor] = max(t + shift, self._last.get(sensor, float("-inf")))
        return self._last[sensor]
