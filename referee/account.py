"""The time of one player: what a turn costs, what it earns, and what the clock shows of it.

Plain arithmetic of whole milliseconds; when time runs and when it stands is in `referee.clock`.
"""

from dataclasses import dataclass, replace

from referee.timecontrol import Bronstein, ByoYomi, Control, Delay, Increment


@dataclass(frozen=True, slots=True)
class Account:
    """What one player has, as of the start of the present turn."""

    control: Control
    left_ms: int
    """Of the main time; below 0 only after a flag."""
    periods: int = 0
    """Of byo-yomi, the one in use among them."""
    flagged: bool = False

    @property
    def allowance_ms(self) -> int:
        """What this turn may take before the flag falls."""
        match self.control.bonus:
            case Delay(ms):
                return self.left_ms + ms
            case ByoYomi(_, ms):
                return self.left_ms + self.periods * ms
        return self.left_ms

    def after_turn(self, spent_ms: int) -> "Account":
        """With `spent_ms` of this turn charged, and what it earns."""
        if not self.flagged:
            # A move that was held to be in time was in time.
            spent_ms = min(spent_ms, self.allowance_ms)
        left = self.left_ms - spent_ms
        match self.control.bonus:
            case Increment(ms):
                left += ms
            case Delay(ms) | Bronstein(ms):
                left += min(spent_ms, ms)
            case ByoYomi() if self.periods:
                face = self.face(spent_ms)
                return replace(self, left_ms=max(left, 0), periods=face.periods)
        return replace(self, left_ms=left)

    def face(self, spent_ms: int) -> "Face":
        """What the clock shows when so much of this turn is spent."""
        left, delay, in_period = self.left_ms - spent_ms, 0, False
        periods = self.periods
        match self.control.bonus:
            case Delay(ms):
                left, delay = self.left_ms - max(spent_ms - ms, 0), max(ms - spent_ms, 0)
            case ByoYomi(_, ms) if periods and left <= 0:
                # A period is over when more than it is spent.
                gone = min(max(-left - 1, 0) // ms, periods - 1)
                left, periods, in_period = left + (gone + 1) * ms, periods - gone, True
        return Face(left if self.flagged else max(left, 0), delay, periods, in_period, self.flagged)

    def given(self, ms: int, spent_ms: int) -> "Account":
        """With more main time, or less, but no less than none, when so much of this turn is spent.

        Who has time again is no more out of it.
        """
        face = self.face(spent_ms)
        rest = 0 if face.in_period else face.left_ms
        change = ms if self.flagged else max(ms, -rest)
        return replace(self, left_ms=self.left_ms + change, flagged=self.flagged and rest + change <= 0)

    def fallen(self) -> "Account":
        """With the flag fallen: what counts from here is how far the time is overstepped."""
        if isinstance(self.control.bonus, ByoYomi):
            return replace(self, left_ms=self.allowance_ms, periods=0, flagged=True)
        return replace(self, flagged=True)


@dataclass(frozen=True, slots=True)
class Face:
    """What the clock shows of one player."""

    left_ms: int
    """Of the main time, or of the byo-yomi period that runs; below 0 only after a flag."""
    delay_ms: int
    """What is left of this turn's delay, in which the main time stands."""
    periods: int
    """Byo-yomi periods left, the one that runs among them."""
    in_period: bool
    """The main time is used up, and `left_ms` is of a period."""
    flagged: bool
