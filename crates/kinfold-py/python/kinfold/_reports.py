"""Reports: what a call found, as attributes, as a dict, as JSON, as text, and as HTML in notebooks."""

from __future__ import annotations

import base64
import html
import json
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from . import _kinfold
    from ._policy import Policy


def thresholds(said: float | Iterable[float] | None) -> list[float] | None:
    """One threshold or several, as a list."""
    return [said] if isinstance(said, int | float) else None if said is None else list(said)


class Record:
    """Named values, as attributes."""

    def __init__(self, data: dict[str, Any]) -> None:
        """Takes the values by name."""
        self._data = data

    def __getattr__(self, name: str) -> Any:
        """A value; records and lists of records where it is made of more."""
        if name.startswith("__") or name == "_data":
            raise AttributeError(name)
        try:
            return _wrapped(self._data[name])
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}") from None

    def __dir__(self) -> list[str]:
        """The names of the values, too."""
        return [*super().__dir__(), *self._data]

    def __eq__(self, other: object) -> bool:
        """Records of the same values are equal."""
        return self._data == other._data if isinstance(other, Record) else NotImplemented

    def __hash__(self) -> int:
        """The same for records of the same values."""
        return hash(json.dumps(self._data, sort_keys=True))

    def __repr__(self) -> str:
        """The values."""
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self._data.items())})"

    def to_dict(self) -> dict[str, Any]:
        """The values as a dict."""
        copied: dict[str, Any] = json.loads(json.dumps(self._data))
        return copied


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    return [_wrapped(item) for item in value] if isinstance(value, list) else value


class Report(Record):
    """What a call found.

    Its values are attributes, named as in the JSON that the command prints. `notes` lists what else you should know.
    """

    def __init__(self, told: _kinfold.Told) -> None:
        """Takes what the library told."""
        data = json.loads(told.json)
        super().__init__(data if isinstance(data, dict) else {"list": data})
        self._told = told
        #: What else you should know.
        self.notes: list[str] = list(told.notes)

    def to_json(self) -> str:
        """The report as JSON, as the command prints it with `--json`."""
        data = self._data["list"] if set(self._data) == {"list"} else self._data
        return json.dumps(data, indent=2, ensure_ascii=False)

    @property
    def chart(self) -> str | None:
        """The picture of the report as SVG, if it has one."""
        return self._told.chart

    def __repr__(self) -> str:
        """The report as the command prints it, and the notes."""
        return "\n".join([self._told.text.rstrip(), *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        """The report as text, with its picture."""
        parts = [f"<pre>{html.escape(repr(self))}</pre>"]
        if self.chart:
            # An image, not inline: its style would be that of the whole page.
            picture = base64.b64encode(self.chart.encode()).decode()
            parts.append(f'<img alt="" src="data:image/svg+xml;base64,{picture}">')
        return "".join(parts)


class AnonymizeReport(Report):
    """What came of an anonymization: rows, groups, loss, bound, gap, the loss of every column, privacy models."""

    def __init__(self, release: _kinfold.Release) -> None:
        """Takes the release that it is about."""
        super().__init__(release.report())
        self._release = release

    def to_html(
        self,
        language: str | None = None,
        *,
        target: str | None = None,
        threshold: float | Iterable[float] | None = None,
        population_size: int | None = None,
        sampling_fraction: float | None = None,
        curve: bool = False,
    ) -> str:
        """The full report for data protection officers as one HTML page, in English (`"en"`) or German (`"de"`).

        It has risk and utility before and after, the policy and the verdict, and shows no cell of the table.

        Args:
            language: `"en"` or `"de"`; by default what the policy's `report` says, or English.
            target: A column to predict by a model trained on the release, for the section on utility.
            threshold: People at a risk above this are counted; or several. By default 0.2 and 0.09.
            population_size: How many people the population has: the risk in it is estimated.
            sampling_fraction: The same by the share of the population that is in the table.
            curve: Whether to draw the loss for other k, at quick effort; it takes about as long as `whatif`.
        """
        said = {
            "target": target,
            "threshold": thresholds(threshold),
            "population_size": population_size,
            "sampling_fraction": sampling_fraction,
            "curve": bool(curve),
        }
        how = json.dumps({name: value for name, value in said.items() if value is not None})
        return self._release.page(language, how)


class RiskReport(Report):
    """How likely people are found again in a table or a release."""


class VerifyReport(Report):
    """What the verifier found in a release."""

    @property
    def good(self) -> bool:
        """Whether the release is safe and, where the original was given, true."""
        return bool(self._data["safe"] and self._data.get("true", True))

    def __bool__(self) -> bool:
        """Whether the release is safe and, where the original was given, true."""
        return self.good


class Inspection(Report):
    """What is known of a table before anything is decided."""

    @property
    def policy(self) -> Policy:
        """A first draft of a policy. Look at every line of it before you use it."""
        from ._policy import Policy

        return Policy._parse(self._told.document or "")


class Ladder(Report):
    """Levels that are proposed for a column: ever coarser names for its values."""

    @property
    def settings(self) -> dict[str, Any]:
        """What a policy says of the column, as in `quasi={"age": ladder.settings}`.

        If `needs_file` is true it lacks `hierarchy`, the path of a file that holds `file`.
        """
        [said] = tomllib.loads(self._data["policy"])["columns"].values()
        return dict(said)

    @property
    def file(self) -> str:
        """The levels as a hierarchy file in ARX's format. It holds all values of the column."""
        return self._told.document or ""


class CertifyReport(Report):
    """What is proven of a grouping."""

    @property
    def certificate(self) -> str | None:
        """What `certify(check=…)` checks the bound with, if there is a proof."""
        return self._told.document


class CompareReport(Report):
    """Solvers side by side, for every k; a list."""

    def __iter__(self) -> Any:
        """One record for every k and solver."""
        return iter(self.list)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._data["list"])

    def __getitem__(self, at: int) -> Any:
        """One of them."""
        return self.list[at]


class WhatIfReport(Report):
    """What other settings would cost."""
