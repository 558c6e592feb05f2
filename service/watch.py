"""A sensor and the referee, joined: readings in, events out, and the referee's word back to the sensor."""

from typing import Generic, TypeVar

from engine.observation import Sensor
from referee.events import Event
from referee.match import MatchReferee
from referee.referee import Referee

Reading = TypeVar("Reading")

_REBASE_S = 1.0
"""Seconds between two re-baselinings of a board that lies still."""


class Watch(Generic[Reading]):
    """Readings to a sensor, its observations to the referee, accepted positions back to the sensor."""

    def __init__(self, referee: Referee | MatchReferee, sensor: Sensor[Reading]) -> None:
        self.referee = referee
        self.sensor = sensor
        self.notes: tuple[str, ...] = ()
        """What ails the sensor, as it said last."""
        self._told_at = float("-inf")
        self._told_ply = -1

    def read(self, t: float, reading: Reading) -> list[Event]:
        """Take in one reading, taken at `t` seconds."""
        observation = self.sensor.observe(t, reading)
        self.notes = observation.notes
        events = self.referee.observe(observation)
        referee = self.referee
        new = referee.ply != self._told_ply or referee.accepted_at - self._told_at >= _REBASE_S
        if referee.accepted_at == t and new:
            self.sensor.settled(t, referee.state.counts)
            self._told_at, self._told_ply = t, referee.ply
        return events
