"""Two clocks brought to one: a chip whose resonator is off, deliveries in bursts, and a time away."""

from itertools import pairwise

import pytest

from service.timeline import Timeline


@pytest.mark.parametrize("drift", [-0.005, 0.0, 0.005])
def test_an_hour_of_a_clock_that_drifts_stays_within_a_few_hundredths(drift: float) -> None:
    timeline, off = Timeline(), []
    for reading in range(10 * 3600):
        taken = reading / 10
        # Every second's readings arrive together, up to 0.9 s late.
        now = reading // 10 + 1.0
        off.append(timeline.common("scale", 17.0 + taken * (1 + drift), now) - taken)
    later = off[3000:]
    assert max(later) - min(later) < 0.15
    assert 0.3 < min(later) < max(later) < 1.0


def test_times_never_run_backwards_and_each_sensor_has_its_own() -> None:
    timeline = Timeline()
    times = [timeline.common("scale", t, now) for t, now in ((5.0, 1.0), (5.1, 1.1), (5.2, 1.1), (5.3, 3.0))]
    assert times[0] == 1.0
    assert all(one <= other for one, other in pairwise(times))
    # A second and more late: its clock has stood still meanwhile.
    assert times[-1] == 3.0
    assert timeline.common("camera", 700.0, 3.2) == pytest.approx(3.2)
    assert timeline.common("scale", 5.4, 3.1) == pytest.approx(3.1)
