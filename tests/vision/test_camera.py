"""The camera as a sensor: what changed is told from known looks, hands hide, and trouble is said."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.errors import BadInput
from engine.layout import Layout
from engine.observation import Observation
from tests.vision.conftest import COUNTS, drawn
from tests.vision.draw import Look, Scene, Shot, bent, homography, photograph
from tests.vision.test_markers import hidden
from vision import Image
from vision.camera import Camera
from vision.lens import project
from vision.markers import from_board_corners
from vision.tracking import Tracked

COLUMNS = 30


@pytest.fixture
def scene(layout: Layout) -> Scene:
    scene = Scene(layout, Look(), np.random.default_rng(1))
    scene.set(COUNTS)
    return scene


@pytest.fixture
def camera(layout: Layout, picture: Image) -> Camera:
    """A camera that knows how `COUNTS` look."""
    camera = Camera(layout, COLUMNS, first=COUNTS)
    camera.observe(0.0, picture)
    return camera


def told(observation: Observation) -> list[int]:
    return [int(count) for count in observation.loglik.argmax(axis=1)]


def doubt(observation: Observation, counts: Sequence[int]) -> float:
    """Nats by which the best other count of any hole falls short of that in `counts`; negative if it wins."""
    rows = observation.loglik.copy()
    mine = rows[np.arange(len(counts)), counts]
    rows[np.arange(len(counts)), counts] = -np.inf
    return float((mine - rows.max(axis=1)).min())


def moved(counts: Sequence[int], **change: int) -> list[int]:
    new = list(counts)
    for name, by in change.items():
        new[int(name.removeprefix("hole"))] += by
    return new


def test_an_observation_has_a_row_for_each_hole(layout: Layout, picture: Image) -> None:
    seen = Camera(layout, COLUMNS).observe(2.5, picture)
    assert seen.t == 2.5
    assert seen.loglik.shape == (14, COLUMNS)
    assert seen.loglik.max(axis=1) == pytest.approx(np.zeros(14))
    assert seen.hand.tolist() == [0.0] * 14
    assert seen.notes == ()
    assert told(seen) == list(COUNTS)


def test_a_still_board_stays_as_it_is_known(camera: Camera, scene: Scene) -> None:
    for t in (1.0, 2.0):
        assert doubt(camera.observe(t, photograph(scene, Shot(exposure=0.9 + t / 10), int(t))), COUNTS) > 3.0


def test_what_is_known_is_believed_though_it_cannot_be_counted(layout: Layout) -> None:
    heap = [20, *COUNTS[1:]]
    camera = Camera(layout, COLUMNS, first=heap)
    image = drawn(layout, heap)
    camera.observe(0.0, image)
    assert doubt(camera.observe(1.0, image), heap) > 1.0
    uncounted = np.exp(Camera(layout, COLUMNS).observe(0.0, image).loglik[0])
    assert uncounted.max() / uncounted.sum() < 0.2


def test_seeds_that_come_and_go_are_counted(camera: Camera, scene: Scene) -> None:
    counts = moved(COUNTS, hole5=-5, hole0=1, hole6=1, hole7=1, hole12=1, hole13=1)
    scene.set(counts)
    seen = camera.observe(1.0, photograph(scene, Shot(), 3))
    assert told(seen) == counts
    assert doubt(seen, counts) > 0.2


def test_a_wrong_first_count_is_not_confirmed_by_what_comes(layout: Layout, picture: Image) -> None:
    empty = moved(COUNTS, hole11=-4)
    camera = Camera(layout, COLUMNS, first=empty)
    assert camera.observe(0.0, picture).notes == (
        "It looks as if something lay in hole 11, which should be empty: set the board up.",
    )


def test_settled_positions_become_the_looks_to_compare_with(camera: Camera, scene: Scene) -> None:
    counts = list(COUNTS)
    for t in (1.0, 2.0):
        counts = moved(counts, hole0=1, hole9=1)
        scene.set(counts)
        assert told(camera.observe(t, photograph(scene, Shot(), int(t)))) == counts
        camera.settled(t, counts)
        assert doubt(camera.observe(t + 0.5, photograph(scene, Shot(), int(t) + 10)), counts) > 3.0


@pytest.mark.parametrize("wood", [Look().wood, (0.05, 0.09, 0.28)])
def test_a_hand_over_a_pit_is_seen_and_nothing_is_said_of_the_pit(
    layout: Layout, wood: tuple[float, float, float]
) -> None:
    scene = Scene(layout, Look(wood=wood), np.random.default_rng(1))
    scene.set(COUNTS)
    camera = Camera(layout, COLUMNS, first=COUNTS)
    camera.observe(0.0, photograph(scene, Shot(), 1))
    over = layout.pits[2]
    seen = camera.observe(1.0, photograph(scene, Shot(hand_mm=(over.x, over.y)), 2))
    assert seen.hand[2] == 1.0
    assert (seen.loglik[2] == 0).all()
    far = [0, 5, 6, 7, 8, 9, 10, 11, 12, 13]
    assert seen.hand[far].max() == 0.0
    assert [told(seen)[hole] for hole in far] == [COUNTS[hole] for hole in far]
    after = camera.observe(2.0, photograph(scene, Shot(), 3))
    assert after.hand.max() == 0.0
    assert doubt(after, COUNTS) > 3.0


def test_a_hand_that_takes_seeds_away_leaves_fewer(camera: Camera, scene: Scene, layout: Layout) -> None:
    over = layout.pits[4]
    camera.observe(1.0, photograph(scene, Shot(hand_mm=(over.x, over.y)), 2))
    scene.set(moved(COUNTS, hole4=-4))
    assert told(camera.observe(2.0, photograph(scene, Shot(), 3)))[4] == 0


def test_while_the_markers_are_hidden_the_board_is_where_it_was(
    camera: Camera, picture: Image, layout: Layout
) -> None:
    seen = camera.observe(1.0, hidden(picture, layout, 0, 1, 2))
    assert told(seen) == list(COUNTS)
    assert len(seen.notes) == 1
    assert seen.notes[0].startswith("The board is not found: 1 of 4 markers are seen (not 0, 1, 2)")


def test_a_board_never_found_says_nothing(layout: Layout) -> None:
    camera = Camera(layout, COLUMNS, first=COUNTS)
    seen = camera.observe(0.0, np.full((720, 1280, 3), 128, np.uint8))
    assert (seen.loglik == 0).all()
    assert seen.hand.tolist() == [0.0] * 14
    assert len(seen.notes) == 1
    camera.settled(0.0, COUNTS)
    assert not (camera.observe(1.0, drawn(layout, COUNTS)).loglik == 0).all()


def test_a_camera_that_was_moved_finds_the_board_again(camera: Camera, scene: Scene) -> None:
    away = Shot(corners=((140, 240), (1210, 150), (1180, 540), (150, 600)))
    assert told(camera.observe(1.0, photograph(scene, away, 2))) == list(COUNTS)


def test_trouble_with_the_picture_is_said_with_its_mend(layout: Layout, picture: Image) -> None:
    dark = np.asarray(picture * 0.12, np.uint8)
    blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), 2.5), np.uint8)
    small = np.asarray(cv2.resize(picture, (320, 180), interpolation=cv2.INTER_AREA), np.uint8)
    for image, words in ((dark, "too dark"), (blurred, "is blurred"), (small, "pixels across")):
        seen = Camera(layout, COLUMNS).observe(0.0, image)
        assert any(words in note for note in seen.notes), (words, seen.notes)
        assert not seen.loglik.any()


def test_where_light_glares_nothing_is_told_and_all_else_is(camera: Camera, picture: Image) -> None:
    glaring = picture.copy()
    # the middle of pit 2 in the picture, as it is drawn
    x, y = project(
        homography(camera.layout, Shot()), np.array([[camera.layout.pits[2].x, camera.layout.pits[2].y]])
    )[0]
    cv2.circle(glaring, (round(x), round(y)), 34, (255, 255, 255), -1)
    seen = camera.observe(1.0, glaring)
    assert seen.notes == ("Light glares in hole 2: move the lamp, shade the window, or lower the exposure.",)
    assert [bool(row.any()) for row in seen.loglik] == [hole != 2 for hole in range(14)]
    camera.settled(1.0, COUNTS)
    assert told(camera.observe(2.0, picture)) == list(COUNTS)


def test_a_pit_that_the_picture_cuts_off_is_not_told(layout: Layout, picture: Image) -> None:
    cut = np.ascontiguousarray(picture[:, :1090])  # part of South's store is gone, and two markers
    names = [f"n{hole}" for hole in range(14)]
    place = from_board_corners(Shot().corners, layout)
    seen = Camera(layout, COLUMNS, names=names, place=lambda image: place).observe(0.0, cut)
    said = "The picture does not show all of n12: move the camera until the whole board is in view."
    assert said in seen.notes
    assert [bool(row.any()) for row in seen.loglik] == [hole != 12 for hole in range(14)]


def test_a_board_that_was_bumped_is_noticed_and_read_on(camera: Camera, scene: Scene) -> None:
    bumped = Shot(corners=tuple((x + 14, y + 3) for x, y in Shot().corners))
    seen = camera.observe(1.0, photograph(scene, bumped, 2))
    assert told(seen) == list(COUNTS)
    assert seen.notes == ("The board or the camera has moved by 7 mm: fix both, so that nothing shifts.",)
    assert camera.observe(20.0, photograph(scene, bumped, 3)).notes == ()


def test_counts_of_another_board_are_refused(layout: Layout, camera: Camera) -> None:
    with pytest.raises(BadInput, match="12 counts were given for 14 holes"):
        Camera(layout, COLUMNS, first=[4] * 12)
    with pytest.raises(BadInput, match="12 counts were given for 14 holes"):
        camera.settled(0.0, [4] * 12)


def test_a_word_of_the_referee_overtakes_that_of_the_players(layout: Layout) -> None:
    """Another sensor has followed the game until the camera finds the board."""
    camera = Camera(layout, COLUMNS, first=COUNTS)
    camera.observe(0.0, np.zeros((720, 1280, 3), np.uint8))
    now = moved(COUNTS, hole5=-5, hole6=1, hole7=1, hole8=1, hole9=1, hole10=1)
    camera.settled(1.0, now)
    seen = camera.observe(2.0, drawn(layout, now))
    camera.settled(2.0, now)
    again = camera.observe(3.0, drawn(layout, now))
    assert told(seen)[5] == 0
    assert told(again) == now
    assert doubt(again, now) > 5


def test_a_camera_that_is_told_where_the_board_lies_looks_there(layout: Layout, camera: Camera) -> None:
    plain = replace(layout, markers=())
    shot = Shot(corners=((160, 240), (1120, 230), (1150, 560), (130, 550)))
    moved_board = drawn(plain, COUNTS, shot)
    lost = camera.observe(1.0, moved_board)
    assert any("The board is not found" in note for note in lost.notes)
    tracked = Tracked(shot.corners, layout)
    camera.placed(tracked, tracked(moved_board))
    assert camera.place is not None
    assert camera.place.homography == pytest.approx(from_board_corners(shot.corners, layout).homography)
    seen = camera.observe(2.0, moved_board)
    assert seen.notes == ()
    camera.settled(2.0, COUNTS)
    assert told(camera.observe(3.0, moved_board)) == list(COUNTS)


def test_a_lens_that_bends_makes_no_difference(layout: Layout) -> None:
    scene = Scene(layout, Look(), np.random.default_rng(1))
    scene.set(COUNTS)
    camera = Camera(layout, COLUMNS, first=COUNTS)
    camera.observe(0.0, bent(photograph(scene, Shot()), -0.15))
    now = moved(COUNTS, hole3=-3, hole4=1, hole5=1, hole6=1)
    scene.set(now)
    seen = camera.observe(1.0, bent(photograph(scene, Shot(), 2), -0.15))
    assert seen.notes == ()
    assert told(seen) == now
