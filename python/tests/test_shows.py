"""Cards, views and figures: they hold what they are to tell, and nothing from elsewhere."""

from __future__ import annotations

import gzip
import json
import re
import struct
from base64 import b64decode
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import drystone
from drystone import Model
from drystone._html import card
from drystone._quantity import quantity, significant
from drystone._shapes import moved_points, rotation_vectors, rotations_of, shapes_of
from drystone._view import View

needs_script = pytest.mark.skipif(
    not (Path(drystone.__file__).parent / "static" / "view.js").is_file(), reason="the script of the view is not built"
)

#: Elements that have no end tag.
VOID = {"img", "br", "meta", "hr", "input"}


class Reader(HTMLParser):
    """Reads HTML and insists that elements nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, f"{self.open} are not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> ends nothing"

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def arch() -> Model:
    model = Model.recipe("arch", voussoirs=12)
    model.add_load("truck", "voussoir-06", (0, 0, -1000), at=(0, 0, 5.37))
    return model


@pytest.fixture(scope="module")
def thin() -> Model:
    return Model.recipe("arch", voussoirs=12, thickness=0.45)


@pytest.fixture(scope="module")
def things(arch: Model, thin: Model) -> dict[str, Any]:
    check = arch.check("cone")
    return {
        "model": arch,
        "stable": arch.check(),
        "unstable": thin.check(),
        "limit": arch.limit((1, 0, 0)),
        "tilt": arch.tilt((0, 1, 0), "cone"),
        "settle": arch.settle(shift={"springer-right": (0.02, 0, 0)}, steps=5),
        "run": arch.simulate(0.2, dt=0.01, every=0.05, motion="sine:amplitude=0.2g,frequency=2,direction=x"),
        "contacts": arch.contacts(),
        "verification": arch.verify(check.certificate or ""),
    }


# Cards.


def test_cards_are_html_that_needs_nothing_from_elsewhere(things: dict[str, Any]) -> None:
    for name, thing in things.items():
        text = card(thing)
        read = Reader(text)
        assert all(link.startswith("data:") for link in read.links), name
        assert not re.search(r"https?://|url\(|<script|<style", text), name
        assert len(text) < 100_000, name


def test_a_card_of_a_check_has_verdict_conclusion_and_proof(things: dict[str, Any]) -> None:
    for name in ("stable", "unstable"):
        check = things[name]
        text = Reader(card(check)).text
        assert check.verdict == name and name in text
        assert check.conclusion in text
        assert "accepted by an independent verifier" in text
        assert all(answer.method in text for answer in check.answers)
        assert check._repr_html_() == card(check)


def test_cards_have_the_main_numbers(things: dict[str, Any]) -> None:
    assert things["limit"].conclusion in Reader(card(things["limit"])).text
    assert "proven" in Reader(card(things["limit"])).text
    assert things["tilt"].conclusion in Reader(card(things["tilt"])).text
    assert quantity(things["run"].max_displacement_m, "m") in Reader(card(things["run"])).text
    assert quantity(things["settle"].path[:, 3].max(), "m") in Reader(card(things["settle"])).text
    assert "truck" in Reader(card(things["model"])).text
    assert "valid" in Reader(card(things["verification"])).text


def test_words_of_a_model_cannot_become_html() -> None:
    model = Model.recipe("block")
    model.update(name="<script>alert('a & b')</script>")
    for text in (card(model), card(model.check("cone"))):
        Reader(text)
        assert "<script" not in text


def test_a_card_of_many_blocks_has_no_picture(monkeypatch: pytest.MonkeyPatch, arch: Model) -> None:
    monkeypatch.setattr("drystone._html.MOST_BLOCKS", 5)
    assert "<img" not in card(arch)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1234.5, "N", "1.23 kN"),
        (0.0, "m", "0 m"),
        (-0.004, "m", "-4 mm"),
        (None, "m", "–"),
        (float("nan"), "N", "–"),
        (5.0, "", "5"),
        (999.9, "kg", "1000 kg"),
    ],
)
def test_numbers_are_for_people(value: Any, unit: str, text: str) -> None:
    assert quantity(value, unit) == text
    assert significant(8.9404296875, 4) == "8.94"


# Views.


def told(view: View) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays, out of the page of a view."""
    packed = re.findall(r'unpacked\("([^"]+)"\)', view.html)[1]
    data = gzip.decompress(b64decode(packed))
    _, _, length = struct.unpack_from("<III", data)
    header = json.loads(data[12 : 12 + length])
    at = 12 + length + -length % 4
    arrays = {}
    for entry in header.pop("arrays"):
        kind = np.dtype({"f32": "<f4", "u32": "<u4", "u8": "u1"}[entry["type"]])
        arrays[entry["name"]] = np.frombuffer(data, kind, entry["length"], at)
        at += entry["length"] * kind.itemsize
        at += -at % 4
    assert at == len(data)
    return header, arrays


def frames(header: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """Displacements and rotation vectors, by frame and block."""
    moved = arrays["moved"].astype(np.int32)
    low, high = moved[: len(moved) // 2], moved[len(moved) // 2 :]
    packed = low | high << 8
    steps = (packed >> 1) ^ -(packed & 1)
    blocks = len(header["names"])
    whole = steps.reshape(6 * blocks, -1).cumsum(axis=1)
    return whole.T.reshape(-1, blocks, 6) * np.repeat(header["units"], 3)


@needs_script
def test_a_view_has_the_structure_and_its_loads(arch: Model) -> None:
    header, arrays = told(arch.show(color="#7fb069"))
    assert header["names"] == arch.names and header["motion"] == "none" and header["color"] == "#7fb069"
    assert arrays["fixed"].tolist() == arch.fixed.astype(int).tolist()
    assert arrays["centers"] == pytest.approx(arch.centers.ravel(), abs=1e-6)
    assert arrays["loads"] == pytest.approx([0, 0, 5.37, 0, 0, -1000])
    shapes = shapes_of(arch)
    assert arrays["vertices"] == pytest.approx(shapes.vertices.ravel(), abs=1e-6)
    assert arrays["face_start"][-1] == len(arrays["face_corners"]) == sum(map(len, shapes.faces))


@needs_script
def test_a_view_of_a_check_has_forces_or_a_mechanism(things: dict[str, Any]) -> None:
    header, arrays = told(things["stable"].show())
    assert header["verdict"] == "stable" and header["motion"] == "none"
    assert arrays["forces"] == pytest.approx(things["stable"].forces.ravel(), rel=1e-5, abs=1e-3)
    header, arrays = told(things["unstable"].show())
    assert header["verdict"] == "unstable" and header["motion"] == "swing" and "forces" not in arrays
    motion = frames(header, arrays)
    assert np.abs(motion[0]).max() == 0
    drawn, expected = motion[1].ravel(), things["unstable"].motions.ravel()
    assert np.corrcoef(drawn, expected)[0, 1] == pytest.approx(1, abs=1e-6)


@needs_script
def test_a_view_of_a_run_follows_its_blocks(things: dict[str, Any]) -> None:
    run = things["run"]
    header, arrays = told(run.show())
    assert header["times"] == pytest.approx(run.times)
    ground = run.centers[:, :1] - run.model.centers[:1]
    expected = run.centers - ground - run.model.centers
    assert frames(header, arrays)[..., :3] == pytest.approx(expected, abs=np.abs(expected).max() / 8000)
    header, _ = told(run.show(max_frames=3))
    assert len(header["times"]) == 3 and header["times"][-1] == pytest.approx(run.times[-1])


@needs_script
def test_a_view_of_a_path_names_its_equilibria(things: dict[str, Any]) -> None:
    path = things["settle"]
    header, arrays = told(path.show(magnify=10))
    assert header["motion"] == "steps" and len(header["labels"]) == len(path.path) + 1
    assert header["labels"][-1].startswith("springer-right moves 100 %")
    last = 10 * (path.centers[-1] - path.model.centers)
    assert frames(header, arrays)[-1, :, :3] == pytest.approx(last, abs=np.abs(last).max() / 4000)


@needs_script
def test_a_view_is_one_page_without_addresses(things: dict[str, Any], tmp_path: Path) -> None:
    view = things["model"].show(height=300)
    frame = view._repr_html_()
    assert frame.count("<iframe") == 1 and 'height="300"' in frame
    page = unescape(re.findall(r'srcdoc="([^"]*)"', frame)[0])
    assert page == view.html
    # Apart from what is packed, whose addresses are names of formats.
    around = re.sub(r'unpacked\("[^"]+"\)', "", page)
    assert not re.search(r"https?:|src=|href=|import ", around)
    assert len(frame) < 300_000
    view.save(tmp_path / "view.html")
    assert (tmp_path / "view.html").read_text(encoding="utf-8") == page


@needs_script
def test_what_cannot_be_shown_is_refused(things: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="Verification has no view"):
        things["verification"].show()
    with pytest.raises(ValueError, match="light.*dark"):
        things["model"].show(theme="blue")
    with pytest.raises(KeyError, match="truck"):
        things["model"].show(loads="train")


# Shapes.


def test_rotations_of_vectors_and_quaternions_agree() -> None:
    vectors = np.array([[0.0, 0.0, np.pi / 2], [0.3, -0.4, 0.5], [1e-9, 0.0, 0.0], [0.0, 0.0, 0.0]])
    angle = np.linalg.norm(vectors, axis=1, keepdims=True)
    quaternions = np.hstack([np.cos(angle / 2), vectors * np.sinc(angle / 2 / np.pi) / 2])
    assert rotation_vectors(quaternions) == pytest.approx(vectors, abs=1e-15)
    assert rotation_vectors(-quaternions) == pytest.approx(vectors, abs=1e-15)
    assert rotations_of(vectors)[0] @ [1, 0, 0] == pytest.approx([0, 1, 0])
    assert np.allclose(rotations_of(vectors) @ np.swapaxes(rotations_of(vectors), 1, 2), np.eye(3))


def test_points_turn_about_the_centres_of_their_blocks() -> None:
    centers = np.array([[1.0, 0.0, 0.0]])
    motion = np.array([[0.0, 0.0, 2.0, 0.0, 0.0, np.pi / 2]])
    assert moved_points(np.array([[2.0, 0.0, 0.0]]), np.array([0]), centers, motion) == pytest.approx(np.array([[1.0, 1.0, 2.0]]))


# Figures.


@pytest.fixture
def pyplot() -> Any:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def kinds(ax: Any) -> list[str]:
    return [type(artist).__name__ for artist in ax.collections]


def test_a_model_is_its_faces_and_its_loads(pyplot: Any, arch: Model) -> None:
    ax = arch.plot()
    assert kinds(ax) == ["Poly3DCollection", "Line3DCollection"]
    assert len(ax.collections[0].get_facecolor()) == len(shapes_of(arch).faces)
    assert [getattr(ax, f"get_{axis}label")() for axis in "xyz"] == ["x (m)", "y (m)", "z (m)"]
    # One metre is as long along each axis.
    aspect = ax._box_aspect / np.array([np.ptp(getattr(ax, f"get_{axis}lim")()) for axis in "xyz"])
    assert aspect == pytest.approx(np.full(3, aspect[0]))
    free = arch.plot(supports=False, loads=False, color="green")
    assert kinds(free) == ["Poly3DCollection"]
    assert len(free.collections[0].get_facecolor()) == 12 * 6
    ax.figure.canvas.draw()


def test_a_check_is_drawn_with_forces_or_displaced(pyplot: Any, things: dict[str, Any]) -> None:
    stable = things["stable"].plot()
    assert kinds(stable) == ["Poly3DCollection", "Line3DCollection"]
    assert stable.collections[0].get_alpha() == 0.25
    assert quantity(np.linalg.norm(things["stable"].forces, axis=1).max(), "N") in stable.get_legend().get_texts()[0].get_text()
    assert "resultant" in things["stable"].plot(forces="resultants").get_legend().get_texts()[0].get_text()
    assert kinds(things["stable"].plot(forces=None)) == ["Poly3DCollection"]
    unstable = things["unstable"].plot()
    assert kinds(unstable) == ["Poly3DCollection", "Line3DCollection"]
    assert "mechanism" in unstable.get_title()


def test_runs_and_paths_are_curves(pyplot: Any, things: dict[str, Any]) -> None:
    displacement, energies = things["run"].plot()
    assert [line.get_label() for line in displacement.lines] == ["total", "x", "y", "z"]
    assert things["run"].max_displacement_block in displacement.get_title()
    assert {line.get_label() for line in energies.lines} <= set(things["run"].energies) and energies.lines
    path = things["settle"].plot()
    assert [line.get_label() for line in path.lines][:3] == ["displacement", "opening", "slip"]
    assert len(path.lines[0].get_xdata()) == len(things["settle"].path) + 1
    assert kinds(things["settle"].plot(what="structure")) == ["Poly3DCollection"]
    assert things["tilt"].plot().lines
    assert kinds(things["contacts"].plot()) == ["Poly3DCollection", "Poly3DCollection"]


def test_axes_that_are_given_are_used(pyplot: Any, things: dict[str, Any]) -> None:
    figure = pyplot.figure()
    space, plane = figure.add_subplot(121, projection="3d"), figure.add_subplot(122)
    assert things["model"].plot(space) is space
    assert things["settle"].plot(plane) is plane
    with pytest.raises(ValueError, match="three dimensions"):
        things["model"].plot(plane)
    with pytest.raises(TypeError, match="no plot"):
        things["verification"].plot()
    with pytest.raises(ValueError, match="three-quarter"):
        things["model"].plot(view="behind")
