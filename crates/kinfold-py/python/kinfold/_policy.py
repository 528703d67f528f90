"""Policies: what each column is, how small a group may be, how groups are published.

A policy is a dict of the same shape as a policy file. Keywords are a short way to write it: `quasi=["zip:category"]` is
`{"columns": {"zip": {"role": "quasi", "kind": "category"}}}`. What is wrong with it, the library says.
"""

from __future__ import annotations

import copy
import datetime
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypedDict

from . import _kinfold
from ._errors import Error, PolicyError, UsageError

Columns = str | Iterable[str] | Mapping[str, Any]
"""A column, several, or a dict from columns to what else is said of them."""

#: Keywords that name columns of a role.
ROLES = {
    "quasi": "quasi",
    "identifier": "identifier",
    "person": "person",
    "sensitive": "sensitive",
    "keep": "keep",
    "drop": "drop",
    "count": "count",
    "setup_column": "setup",
}
#: Keywords that say more of columns that have a role; a model makes a column sensitive that has none.
MODELS = ("diversity", "closeness", "likeness", "disclosure")
LEVELS = ("levels", "level", "finest", "coarsest", "top", "bottom", "origin", "unknown")
DETAILS = (*MODELS, "domain", "unit", "weight", "round", *LEVELS)
#: Keys whose values are files.
FILES = ("hierarchy", "regions", "nodes", "values")


class SettingsBesideK(TypedDict, total=False):
    """Keywords that a policy can be written in, but for k."""

    quasi: Columns
    identifier: Columns
    person: Columns
    sensitive: Columns
    keep: Columns
    drop: Columns
    count: str
    setup_column: str
    drop_rest: bool
    acknowledge: str | Iterable[str]
    diversity: Mapping[str, Any]
    closeness: Mapping[str, Any]
    likeness: Mapping[str, Any]
    disclosure: Mapping[str, float]
    domain: Mapping[str, Any]
    unit: Mapping[str, float]
    weight: Mapping[str, float]
    round: Mapping[str, float | str]
    levels: Mapping[str, Any]
    level: Mapping[str, float | str]
    finest: Mapping[str, float | str]
    coarsest: Mapping[str, float | str]
    top: Mapping[str, Any]
    bottom: Mapping[str, Any]
    origin: Mapping[str, Any]
    unknown: Mapping[str, str]
    blunt: bool
    missing: str | Iterable[str]
    objective: str
    recoding: str
    withhold: float | str
    form: str
    per_group: bool
    one_radius: bool
    max_groups: int
    metric: Mapping[str, Any]
    presence: Mapping[str, Any]
    format: Mapping[str, Any]
    report: Mapping[str, Any]


class Settings(SettingsBesideK, total=False):
    """Keywords that a policy can be written in. Their names are those of the policy's keys."""

    k: int


class Policy:
    """A policy: what is to be done with a table.

    It is made from keywords, from a dict of the same shape as a policy file, from a file, or from another policy;
    keywords come last and win.

    >>> models = {"diagnosis": {"diversity": 2}}
    >>> policy = Policy(k=5, quasi=["age", "zip:category"], identifier="name", sensitive=models)
    >>> print(policy.to_toml(), end="")
    k = 5
    <BLANKLINE>
    [columns]
    age = "quasi"
    zip = { role = "quasi", kind = "category" }
    name = "identifier"
    diagnosis = { role = "sensitive", diversity = 2 }
    >>> Policy(policy, k=10)["k"]
    10
    """

    def __init__(
        self, policy: Policy | Mapping[str, Any] | str | os.PathLike[str] | None = None, /, **settings: Any
    ) -> None:
        """Takes a policy, if there is one, and keywords."""
        self._data: dict[str, Any] = {}
        #: Text and name of the file, as long as nothing else is said.
        self._source: tuple[str, Path] | None = None
        self._folder = Path()
        #: Where each key was said: a keyword, or a key of `policy=`.
        self._places: dict[tuple[str, ...], str] = {}
        self._mistakes: list[tuple[str, str | None, str | None]] = []
        self._complete = policy is not None
        if isinstance(policy, Policy):
            self.__dict__.update(copy.deepcopy(policy.__dict__))
        elif isinstance(policy, Mapping):
            self._data = {str(key): plain(value) for key, value in policy.items()}
            self._note("policy")
        elif policy is not None:
            self._read(Path(os.fspath(policy)))
        if settings:
            self._add(settings)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Policy:
        """Reads a policy file. Files that it names are looked for beside it."""
        return cls(Path(path))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Policy:
        """A policy from a dict of the same shape as a policy file."""
        return cls(data)

    def to_dict(self) -> dict[str, Any]:
        """The policy as a dict of the same shape as a policy file."""
        return copy.deepcopy(self._data)

    def to_toml(self) -> str:
        """The policy as the text of a policy file."""
        return self._source[0] if self._source else "".join(line for line, _ in self._lines())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a policy file. It replaces one that exists."""
        target = Path(path)
        moved = Policy(self)
        moved._source = self._source if target.parent.resolve() == self._folder.resolve() else None
        for table, key in moved._files():
            table[key] = _seen_from(target.parent, self._folder / str(table[key]))
        temporary = target.with_name(f".{target.name}.tmp")
        try:
            temporary.write_text(moved.to_toml(), encoding="utf-8", newline="\n")
            temporary.replace(target)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise _unwritable(target, error) from None

    def check(self) -> None:
        """Raises all mistakes that show without a table."""
        with_places(self, lambda: _kinfold.check_policy(self._handed()))

    def __getitem__(self, key: str) -> Any:
        """What the policy says under a key."""
        return copy.deepcopy(self._data[key])

    def __contains__(self, key: object) -> bool:
        """Whether the policy says something under a key."""
        return key in self._data

    def __eq__(self, other: object) -> bool:
        """Policies that say the same are equal."""
        if not isinstance(other, Policy):
            return NotImplemented
        return self._data == other._data

    def __hash__(self) -> int:
        """The same for policies that say the same."""
        return hash(json.dumps(self._data, sort_keys=True, default=str))

    def __repr__(self) -> str:
        """What the policy says."""
        return f"<kinfold.Policy\n{self.to_toml().rstrip()}\n>"

    # How it is made.

    def _read(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            hint = "check the path of the policy; kinfold.inspect(table).policy drafts one"
            raise PolicyError([(f"cannot read {path}: {_reason(error)}", hint, None)]) from None
        except UnicodeDecodeError:
            raise PolicyError([(f"{path} is not UTF-8 text", "a policy is a TOML file", None)]) from None
        self._source, self._folder = (text, path), path.parent
        self._load(str(path))

    @classmethod
    def _parse(cls, text: str) -> Policy:
        """A policy from the text of a policy file."""
        policy = cls()
        policy._source, policy._complete = (text, Path("policy")), True
        policy._load("policy")
        return policy

    def _load(self, origin: str) -> None:
        assert self._source is not None
        try:
            self._data = {key: plain(value) for key, value in tomllib.loads(self._source[0]).items()}
        except (tomllib.TOMLDecodeError, RecursionError):
            # The library says where, and shows nothing of it.
            self.check()
            raise PolicyError([(f"{origin} is not TOML", "a policy is a TOML file", None)]) from None
        self._note(origin)

    def _note(self, origin: str) -> None:
        for key, value in self._data.items():
            inner = value if key == "columns" and isinstance(value, dict) else ()
            for column in inner:
                self._places[(key, column)] = f"{origin}[{key!r}][{column!r}]"
            self._places[(key,)] = f"{origin}[{key!r}]"

    def _add(self, settings: dict[str, Any]) -> None:
        self._source = None
        said: dict[str, str] = {}
        for word, role in ROLES.items():
            for name, details in _columns(settings.pop(word, None), word):
                self._give_role(name, role, details, word, said)
        for word in DETAILS:
            of_columns = settings.pop(word, None) or {}
            if not isinstance(of_columns, Mapping):
                raise UsageError(f"{word} is not a dict from columns", f'write {word}={{"age": …}}', f"{word}=")
            for name, value in of_columns.items():
                self._detail(str(name), word, plain(value))
        for name in _names(settings.pop("acknowledge", None)):
            self._detail(name, "acknowledge", True)
        for key, value in settings.items():
            near = () if key in Settings.__optional_keys__ else get_close_matches(key, Settings.__optional_keys__, 1)
            if near:
                self._mistakes.append((f'there is no keyword "{key}"', f"did you mean {near[0]}=?", f"{key}="))
            if value is None or near:
                continue
            value = plain(value)
            if key == "missing" and isinstance(value, str):
                value = [value]
            if isinstance(value, dict) and isinstance(self._data.get(key), dict):
                value = {**self._data[key], **value}
            self._data[key] = value
            self._places[(key,)] = f"{key}="

    def _table(self) -> dict[str, Any]:
        """What is said of columns."""
        table = self._data.setdefault("columns", {})
        return table if isinstance(table, dict) else {}

    def _give_role(self, name: str, role: str, details: Any, word: str, said: dict[str, str]) -> None:
        if name in said:
            both = f", as {said[name]} and as {role}" if said[name] != role else ""
            self._mistakes.append((f'column "{name}" is named twice{both}', "give every column one role", f"{word}="))
            return
        said[name] = role
        known = self._table().get(name)
        if not details and role == _role(known) == "sensitive":
            return  # The bare role takes no protection away.
        self._table()[name] = {"role": role, **details} if details else role
        self._places[("columns", name)] = f"{word}="

    def _detail(self, name: str, key: str, value: Any) -> None:
        known = self._table().get(name, "sensitive" if key in MODELS else None)
        known = {"role": known} if isinstance(known, str) else dict(known or {})
        known[key] = value
        self._table()[name] = known
        self._places.setdefault(("columns", name), f"{key}=")

    def _fill(self, columns: Iterable[str]) -> Policy:
        """The same policy with every column named: those without a role were dropped."""
        filled = Policy(self)
        rest = [name for name in columns if not self._speaks_of(name)]
        if rest or not self._complete or "drop_rest" in self._data:
            filled._source = None
        filled._data.pop("drop_rest", None)
        for name in rest:
            filled._table()[name] = "drop"
        filled._complete = True
        return filled

    def _speaks_of(self, name: str) -> bool:
        def point(said: str) -> bool:
            entry = self._table()[said]
            return isinstance(entry, dict) and entry.get("kind") == "point" and name in said.split("/")

        return any(said == name or point(said) for said in self._table())

    def _quasi(self) -> set[str]:
        """The names of quasi-identifiers."""
        names = (name for name, said in self._table().items() if _role(said) == "quasi")
        return {part.strip() for name in names for part in (name, *name.split("/"))}

    def _unread(self, name: str) -> bool:
        """Whether a column of this name is left out, whatever is in it."""
        if self._speaks_of(name):
            return _role(self._table().get(name)) in ("identifier", "drop")
        return bool(self._data.get("drop_rest"))

    # How it is handed over.

    def _lines(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The lines of a policy file, each with the keys that it is about."""
        tables = {key: value for key, value in self._data.items() if isinstance(value, dict)}
        for key, value in self._data.items():
            if key not in tables:
                yield f"{toml_key(key)} = {toml(value)}\n", (key,)
        for key, table in tables.items():
            yield f"\n[{toml_key(key)}]\n" if self._data.keys() - {key} else f"[{toml_key(key)}]\n", (key,)
            for inner, value in table.items():
                yield f"{toml_key(inner)} = {toml(value)}\n", (key, inner)

    def _handed(self, columns: Iterable[str] = ()) -> PolicyText:
        text, name = self._source or (self.to_toml(), self._folder / "policy")
        return PolicyText(text, name, self._complete, columns)

    def _place(self, line: int) -> str | None:
        """Where a line of the text that was handed over was said."""
        if self._source:
            return f"{self._source[1]}:{line}"
        at = 1
        for text, keys in self._lines():
            at += text.count("\n")
            if line < at:
                return self._places.get(keys) or self._places.get(keys[:1]) or ".".join(keys)
        return None

    def _files(self) -> Iterator[tuple[dict[str, Any], str]]:
        """Where files are named."""
        said = [(entry, key) for entry in self._table().values() for key in FILES]
        said.append((self._data.get("presence"), "population"))
        return ((entry, key) for entry, key in said if isinstance(entry, dict) and key in entry)


class PolicyText:
    """A policy on its way to the library."""

    def __init__(self, text: str, name: Path, complete: bool, columns: Iterable[str] = ()) -> None:
        """Takes the text of a policy file, its name, and whether it means to name every column.

        `columns` are those of the table that pieces are made of; without any, the policy is for a release.
        """
        self.text, self.name, self.complete, self.columns = text, name, complete, list(columns)


def with_places(policy: Policy, call: Any) -> Any:
    """Calls, and says where mistakes of the policy were made, together with those that were found before."""
    found = list(policy._mistakes)
    try:
        answer = call()
    except PolicyError as error:
        for mistake, line in zip(error.mistakes, error._lines, strict=True):
            found.append((mistake.message, mistake.hint, policy._place(line) if line else mistake.place))
        raise PolicyError(found) from None
    except Error:
        if not found:
            raise
    if found:
        raise PolicyError(found)
    return answer


def _role(said: Any) -> Any:
    return said.get("role") if isinstance(said, dict) else said


def _names(said: Any) -> list[str]:
    return [said] if isinstance(said, str) else [str(name) for name in said or ()]


def _columns(said: Any, word: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Columns and what is said of each."""
    if isinstance(said, Mapping):
        for name, details in said.items():
            details = plain(details)
            if isinstance(details, str) and word == "quasi":
                yield _quasi_spec(f"{name}:{details}")
            elif details is None or isinstance(details, dict):
                yield str(name), details or {}
            else:
                example = '{"age": {"kind": "numeric"}}' if word == "quasi" else '{"diagnosis": {"diversity": 2}}'
                raise UsageError(
                    f'{word}: what is said of "{name}" is not a dict', f"write {word}={example}", f"{word}="
                )
        return
    for name in _names(said):
        yield _quasi_spec(name) if word == "quasi" else (name, {})


def _quasi_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """A quasi-identifier as `NAME[:KIND][*WEIGHT]`; numbers and dates may have levels: `age:numeric/5/10`."""
    details: dict[str, Any] = {}
    if weighed := re.fullmatch(r"(.*)\*\s*(-?[0-9]+(?:\.[0-9]+)?)\s*", spec, re.DOTALL):
        spec, details["weight"] = weighed[1], float(weighed[2])
    name, colon, kind = spec.partition(":")
    if laddered := re.fullmatch(r"\s*(numeric|date)/(.*)", kind, re.DOTALL):
        kind, details["levels"] = laddered[1], [_number(level.strip()) for level in laddered[2].split("/")]
    word, equals, value = (part.strip() for part in kind.partition("="))
    if colon:
        details["kind"] = word
    if equals and word == "ordinal":
        details["order"] = [level.strip() for level in value.split("<")]
    elif equals and word in ("hierarchy", "date"):
        details[word] = value
    elif equals and word == "numeric":
        details["decimal"] = {"comma": ",", "point": "."}.get(value, value)
    elif word == "prefix":
        lengths = [length.strip() for length in value.split("/")]
        details["prefix"] = [int(length) if length.isdecimal() else length for length in lengths]
    elif equals and word == "region":
        edges, plus, nodes = value.rpartition("+")
        details["regions"] = edges if plus else value
        if plus:
            details["nodes"] = nodes
    elif equals:
        details["kind"] = kind.strip()
    return name.strip(), details


def _number(text: str) -> int | float | str:
    """A number where it is one, else the text."""
    for kind in (int, float):
        if re.fullmatch(r"-?[0-9]+" + (r"\.[0-9]+" if kind is float else ""), text):
            return kind(text)
    return text


def plain(value: Any) -> Any:
    """A value in the types of TOML: what numpy, tuples and dates are is written as texts, numbers and lists."""
    if value is None or isinstance(value, bool):
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)  # Classes derived from them are written differently.
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return plain(value.item())
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [plain(inner) for inner in value]
    raise UsageError(f"a policy cannot hold a {type(value).__name__}", "use texts, numbers, lists and dicts")


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return {"inf": "inf", "-inf": "-inf", "nan": "nan"}.get(str(value)) or repr(value)
    if isinstance(value, str):
        return _toml_text(value)
    if isinstance(value, dict):
        inner = ", ".join(f"{toml_key(key)} = {toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return f"[{', '.join(toml(item) for item in value)}]"


def toml_key(key: str) -> str:
    """A key as TOML writes it."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml_text(key)


def _toml_text(text: str) -> str:
    # JSON escapes what TOML does, but for DEL; lone surrogates are no text at all.
    text = text.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _seen_from(folder: Path, file: Path) -> str:
    """A file's name in a policy that stands in this folder."""
    folder, file = folder.resolve(), file.resolve()
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else str(file)


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _unwritable(path: Path, error: OSError) -> Error:
    from ._errors import OutputError

    return OutputError(f"cannot write {path}: {_reason(error)}", "does the folder exist?")
