"""Sensors and the referee, joined: readings in, events out, and the referee's word back to the sensors."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.observation import Observation, Sensor
from referee.events import Event
from referee.match import MatchReferee
from referee.referee import Referee
from referee.timed import TimedReferee

_REBASE_S = 1.0
"""Seconds between two re-baselinings of a board that lies still."""


class Watch:
    """Readings to their sensor, observations to the referee, accepted positions back to every sensor."""

    def __init__(
        self, referee: Referee | MatchReferee | TimedReferee, sensors: Mapping[str, Sensor[Any]]
    ) -> None:
        """`sensors` by name: those that watch this board, one or several."""
        self.referee = referee
        self.sensors = sensors
        self._away: set[str] = set()
        self._notes: dict[str, tuple[str, ...]] = {}
        self._told_at = float("-inf")
        self._told_ply = -1

    @property
    def notes(self) -> tuple[str, ...]:
        """What ails the sensors, as they said last."""
        return tuple(note for notes in self._notes.values() for note in notes)

    def read(self, t: float, reading: Any, sensor: str) -> list[Event]:
        """Take in one reading of a sensor, taken at `t` seconds."""
        return self.take(self.sensors[sensor].observe(t, reading), sensor)

    def take(self, observation: Observation, sensor: str) -> list[Event]:
        """Take in what a sensor has said of a reading, the last one it was given."""
        t, referee = observation.t, self.referee
        self._notes[sensor] = observation.notes
        events = referee.observe(replace(observation, sensor=sensor))
        new = referee.ply != self._told_ply or referee.accepted_at - self._told_at >= _REBASE_S
        if referee.accepted_at == t and new:
            for name in self._watching():
                self.sensors[name].settled(t, referee.state.counts)
            self._told_at, self._told_ply = t, referee.ply
        return events

    def lost(self, t: float, sensor: str, why: str) -> list[Event]:
        """A sensor gives no readings any more. While another does, play goes on; what is settled meanwhile is
        no word for the one that has not seen it."""
        if sensor in self._away:
            return []
        self._away.add(sensor)
        self._notes.pop(sensor, None)
        return self.referee.lost(t, why, self._named(sensor), self._watching())

    def back(self, t: float, sensor: str, how: str) -> list[Event]:
        """It gives readings again."""
        if sensor not in self._away:
            return []
        watching = self._watching()
        self._away.remove(sensor)
        return self.referee.back(t, how, self._named(sensor), watching)

    @property
    def blind(self) -> bool:
        """Whether no sensor gives readings."""
        return not self._watching()

    def _watching(self) -> tuple[str, ...]:
        return tuple(name for name in self.sensors if name not in self._away)

    def _named(self, sensor: str) -> str:
        """The name of a sensor, where there are several."""
        return sensor if len(self.sensors) > 1 else ""
