"""Cards of models and results for notebooks, readable on light and dark ground."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._quantity import quantity, significant
from ._view import View, view
from .results import Check, Contacts, Limit, Run, Settle, StudyResult, Tilt, Verification

if TYPE_CHECKING:
    from .model import Model
    from .results import Result

__all__ = ["View", "card", "view"]

#: Pictures of more blocks than this are not made for a card: they take seconds.
MOST_BLOCKS = 1500
#: A picture with more bytes than this is left out of a card.
MOST_BYTES = 60_000

# White words on these are readable; both stand out on light and on dark ground.
_COLORS = {"good": "#1a7f5a", "bad": "#b8430f", "open": "#8a6100", "plain": "#5d6670"}
_VERDICTS = {"stable": "good", "unstable": "bad", "undecided": "open"}
_EVIDENCE = {
    "mobilised_forces": "by forces mobilised by displacement",
    "forces": "by an admissible force distribution",
    "mechanism": "by a collapse mechanism",
}

_CARD = "font:13px/1.45 system-ui,sans-serif;max-width:860px;border:1px solid rgba(128,128,128,.35);border-radius:8px;padding:10px 14px"
_CELL = "text-align:left;padding:1px 16px 1px 0;border:0;background:none;color:inherit;vertical-align:top;font-size:13px"
_FAINT = "opacity:.7"

Rows = list[tuple[str, str]]


def card(thing: Union[Model, Result, StudyResult]) -> str:
    """A model or a result as HTML: what it is, what was found, how it is known, and a picture."""
    picture, title, (word, tone), sentence, facts, table = _study(thing) if isinstance(thing, StudyResult) else _of_model(thing)
    chip = (
        f'<span style="background:{_COLORS[tone]};color:#fff;border-radius:9px;padding:1px 9px 2px;font-weight:600;margin-left:8px">{escape(word)}</span>'
        if word
        else ""
    )
    parts = [f'<div style="font-size:14px"><b>{escape(title)}</b>{chip}</div>']
    if sentence:
        parts.append(f'<div style="margin:5px 0 7px">{escape(sentence)}</div>')
    parts.append(_facts(facts))
    if table:
        parts.append(_table(table))
    remarks = thing.notes if isinstance(thing, StudyResult) else getattr(thing, "warnings", [])
    parts += [f'<div style="margin-top:5px;{_FAINT}">{escape(remark)}</div>' for remark in remarks]
    words = f'<div style="flex:1 1 320px;min-width:0">{"".join(parts)}</div>'
    return f'<div style="{_CARD}"><div style="display:flex;flex-wrap:wrap;gap:14px;align-items:center">{words}{picture}</div></div>'


def _of_model(thing: Union[Model, Result]) -> Shown:
    model, title, word, sentence, facts, table = _told(thing)
    return (_picture(model), title, word, sentence, facts, table)


def _study(study: StudyResult) -> Shown:
    facts = [
        ("runs", f"{study.done} of {study.runs}" + (f", {study.failed} failed" if study.failed else "")),
        ("computing time", quantity(study.computing_s, "s")),
        ("files", str(study.folder)),
    ]
    word = ("complete", "good") if study.complete else ("under way", "open")
    return (_drawn(study), f"{study.title}: {study.kind.replace('-', ' ')}", word, " ".join(study.conclusions), facts, None)


def _drawn(study: StudyResult) -> str:
    """The first chart, of those that are in the folder."""
    for chart in study.charts:
        path = study.folder / f"{chart['name']}.svg"
        if path.is_file() and path.stat().st_size <= MOST_BYTES:
            return _image(path.read_bytes(), chart["title"], 420)
    return ""


def _picture(model: Model) -> str:
    if model.blocks > MOST_BLOCKS:
        return ""
    svg = model.picture("svg")
    if len(svg) > MOST_BYTES:
        return ""
    # On its own ground, for lines are dark; as an image, for names inside of one picture are not to meet those of another.
    return _image(svg.replace(b'fill="#ffffff"', b'fill="#f4f2ee"', 1), model.name or "the structure", 280)


def _image(svg: bytes, what: str, width: int) -> str:
    style = f"flex:0 1 {width}px;min-width:180px;max-width:{width}px;border-radius:6px;background:#f4f2ee;margin:0"
    return f'<img alt="{escape(what)}" style="{style}" src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}">'


def _facts(rows: Rows) -> str:
    return _grid("".join(_line([_cell(name, more=f";white-space:nowrap;{_FAINT}"), _cell(value)]) for name, value in rows))


def _table(rows: list[list[str]]) -> str:
    head, *body = rows
    first = _line([_cell(name, "th", f";font-weight:normal;{_FAINT}") for name in head])
    return _grid(first + "".join(_line([_cell(value) for value in row]) for row in body))


def _grid(lines: str) -> str:
    return f'<table style="border-collapse:collapse;border:0;margin:5px 0;color:inherit"><tbody>{lines}</tbody></table>'


def _line(cells: list[str]) -> str:
    return f'<tr style="background:none">{"".join(cells)}</tr>'


def _cell(text: str, tag: str = "td", more: str = "") -> str:
    return f'<{tag} style="{_CELL}{more}">{escape(text)}</{tag}>'


Shown = tuple[str, str, tuple[str, str], str, Rows, Optional[list[list[str]]]]
Told = tuple["Model", str, tuple[str, str], str, Rows, Optional[list[list[str]]]]


def _told(thing: Any) -> Told:
    """The model, a title, a word with its tone, a sentence, facts and a table."""
    if not hasattr(thing, "model"):
        return (thing, thing.name or "Model", ("", "plain"), "", _model_facts(thing), None)
    model: Model = thing.model
    name = model.name or "model"
    if isinstance(thing, Check):
        word = (thing.verdict, _VERDICTS.get(thing.verdict, "plain"))
        return (model, f"{name}: check", word, thing.conclusion, _check_facts(thing), _methods(thing))
    if isinstance(thing, Limit):
        return (model, f"{name}: limit load", _proof(thing), thing.conclusion, _limit_facts(thing), None)
    if isinstance(thing, Tilt):
        return (model, f"{name}: tilt", _proof(thing), thing.conclusion, _tilt_facts(thing), None)
    if isinstance(thing, Settle):
        word = (
            ("completed", "good")
            if thing.end == "completed"
            else ("no equilibrium", "bad")
            if thing.end == "no_equilibrium"
            else (thing.end, "open")
        )
        return (
            model,
            f"{name}: slow loading",
            word,
            thing.conclusion,
            [("largest displacement", quantity(_most(thing), "m"))],
            _stages(thing),
        )
    if isinstance(thing, Run):
        word = ("collapsed", "bad") if thing.fields["collapsed"] else ("no collapse", "good")
        return (model, f"{name}: motion", word, "", _run_facts(thing), None)
    if isinstance(thing, Contacts):
        facts = [
            ("joints", str(thing.interfaces)),
            ("contact points", str(thing.contacts)),
            ("area", f"{significant(thing.fields['area_m2'])} m²"),
        ]
        return (model, f"{name}: contacts", ("", "plain"), "", facts, None)
    if isinstance(thing, Verification):
        word = ("valid", "good") if thing.valid else ("not valid", "bad")
        claims = thing.fields["claims"]
        facts = [
            ("claim", str(thing.fields["claim"])),
            ("statements that hold", f"{sum(c['holds'] for c in claims)} of {len(claims)}"),
            ("proof", _yes(thing.proof)),
        ]
        failed = "; ".join(f"{c['claim']}: {c['detail']}" for c in claims if not c["holds"])
        return (model, f"{name}: certificate", word, failed, facts, None)
    return (model, name, ("", "plain"), "", [], None)


def _proof(thing: Union[Limit, Tilt]) -> tuple[str, str]:
    sides = [bool(thing.fields[key]) for key in ("lower_proven", "upper_proven")]
    return ("proven", "good") if all(sides) else ("proven from one side" if any(sides) else "not proven", "open")


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _model_facts(model: Model) -> Rows:
    fields = model.to_dict()
    free = ~model.fixed
    facts = [
        ("blocks", f"{int(free.sum())} and {int((~free).sum())} supports"),
        ("mass of the free blocks", quantity(float(model.masses[free].sum()), "kg")),
    ]
    friction = fields.get("joints", {}).get("friction")
    if friction is not None:
        facts.append(("friction coefficient", significant(friction)))
    for key, name in (("load_cases", "load cases"), ("motions", "motions")):
        if fields.get(key):
            facts.append((name, ", ".join(fields[key])))
    if fields.get("ties"):
        facts.append(("ties", str(len(fields["ties"]))))
    return facts


def _check_facts(check: Check) -> Rows:
    facts = [
        ("proof", f"accepted by an independent verifier, {_evidence(check.fields)}" if check.proven else f"none; {check.fields['reason']}")
    ]
    sizes = np.linalg.norm(check.forces, axis=1) if len(check.forces) else np.zeros(0)
    if len(sizes):
        facts.append(("largest contact force", quantity(float(sizes.max()), "N")))
    falling = check.fields.get("unstable_blocks") or []
    if falling:
        facts.append(("blocks that move", f"{len(falling)} of {_free(check.model)}"))
    least = (check.fields.get("sensitivity") or {}).get("least_friction")
    if least is not None:
        facts.append(("minimum friction", significant(least)))
    return facts


def _free(model: Model) -> int:
    """How many blocks are no supports."""
    return int((~model.fixed).sum())


def _evidence(fields: dict[str, Any]) -> str:
    evidence = fields.get("evidence")
    return _EVIDENCE.get(str(evidence), str(fields.get("reason", "")))


def _methods(check: Check) -> list[list[str]]:
    rows = [["method", "verdict", "proof", "self-stress"]]
    return rows + [[a.method, a.verdict, _yes(bool(a.fields.get("proven"))), str(a.fields.get("self_stress", "–"))] for a in check.answers]


def _limit_facts(limit: Limit) -> Rows:
    unit = " g" if limit.fields["unit"] == "gravity" else ""
    lower, upper = limit.bounds

    def bound(value: Optional[float], proven: bool) -> str:
        return "–" if value is None else f"{significant(value, 4)}{unit}, {'proven' if proven else 'not proven'}"

    return [
        ("stands up to", bound(lower, limit.fields["lower_proven"])),
        ("falls from", bound(upper, limit.fields["upper_proven"])),
        ("friction", str(limit.fields["friction_words"])),
    ]


def _tilt_facts(tilt: Tilt) -> Rows:
    def bound(value: Optional[float], proven: bool) -> str:
        return "–" if value is None else f"{significant(value, 4)}°, {'proven' if proven else 'not proven'}"

    return [
        ("stands up to", bound(tilt.fields["lower_deg"], tilt.fields["lower_proven"])),
        ("falls from", bound(tilt.fields["upper_deg"], tilt.fields["upper_proven"])),
        ("method", str(tilt.fields["method"])),
    ]


def _most(path: Settle) -> Optional[float]:
    return float(path.path[:, 3].max()) if len(path.path) else None


def _stages(path: Settle) -> list[list[str]]:
    rows = [["stage", "done", "displacement", "opening", "slip"]]
    for stage in path.fields["stages"]:
        sizes = [quantity(stage[key], "m") for key in ("max_displacement_m", "max_opening_m", "max_slip_m")]
        rows.append([str(stage["name"]), f"{round(100 * stage['done'])} %", *sizes])
    return rows


def _run_facts(run: Run) -> Rows:
    fields = run.fields
    return [
        ("duration", quantity(fields["time_s"], "s")),
        (
            "largest displacement",
            f"{quantity(fields['max_displacement_m'], 'm')}, {fields['max_displacement_block']} at {quantity(fields['max_displacement_time_s'], 's')}",
        ),
        ("displacement that remains", quantity(fields["residual_drift_m"], "m")),
        ("at rest at the end", _yes(fields["at_rest"])),
        ("energy balance error", significant(fields["energy_balance_error"], 2)),
    ]
