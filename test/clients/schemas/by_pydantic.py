"""Prints, as JSON, the schemas that the Pydantic on PYTHONPATH writes. Each is of a model with one field, with a value
that the model accepts and one that it refuses. It stops if Pydantic accepts or refuses the wrong value."""

import dataclasses
import datetime
import decimal
import enum
import ipaddress
import json
import pathlib
import uuid
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, NamedTuple, Optional, Set, Tuple, Union

import pydantic
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from typing_extensions import NotRequired, TypeAliasType, TypedDict

Decimal = decimal.Decimal


class Mood(str, enum.Enum):
    good = "good"
    bad = "bad"


class Star(enum.IntEnum):
    one = 1
    two = 2


class Point(NamedTuple):
    x: int
    y: float = 0


class Options(TypedDict):
    a: int
    b: NotRequired[str]


@dataclasses.dataclass
class Plain:
    a: int
    b: str = "x"


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    weight: Annotated[float, Field(gt=0)]


Pet = Annotated[Union[Cat, Dog], Field(discriminator="kind")]


class Chapter(BaseModel):
    """A part of a video."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"x-order": 1})
    title: Annotated[str, Field(max_length=5, examples=["Intro"])]
    children: "List[Chapter]" = []


class Person(BaseModel):
    name: str
    knows: "Optional[Person]" = None


Tree = TypeAliasType("Tree", "Union[Dict[str, Tree], List[Tree], str, int, None]")

# name, type, a value that fits, one that does not
FIELDS = [
    ("decimal", Decimal, "12.50", []),
    ("decimal as a number", Decimal, 12.5, True),
    ("digits and places", Annotated[Decimal, Field(max_digits=5, decimal_places=2)], "123.45", {}),
    ("places", Annotated[Decimal, Field(decimal_places=2)], "-0.10", []),
    ("digits", Annotated[Decimal, Field(max_digits=3)], "1.25", {}),
    ("no places", Annotated[Decimal, Field(max_digits=3, decimal_places=0)], "125", None),
    ("cents", Annotated[Decimal, Field(ge=0, multiple_of=Decimal("0.01"))], 19.99, -0.5),
    ("duration", datetime.timedelta, "PT1H30M", "an hour"),
    ("part of a second", datetime.timedelta, "PT1.5S", "1.5 seconds"),
    ("date-time", datetime.datetime, "2026-11-26T12:00:00Z", "yesterday"),
    ("date", datetime.date, "2026-11-26", "2026-13-26"),
    ("time", datetime.time, "12:30:00", "25:00:00"),
    ("uuid", uuid.UUID, "c0ffee00-0000-4000-8000-000000000000", "c0ffee"),
    ("bytes", bytes, "x", 1),
    ("ipv4", ipaddress.IPv4Address, "192.0.2.1", "192.0.2"),
    ("ipv6", ipaddress.IPv6Address, "2001:db8::1", ":"),
    ("path", pathlib.Path, "a/b", 1),
    ("url", pydantic.AnyUrl, "https://example.com/", ""),
    ("http url", pydantic.HttpUrl, "https://example.com/a", "nowhere"),
    ("secret", pydantic.SecretStr, "x", 1),
    ("json", pydantic.Json, "{}", 1),
    ("json of a type", pydantic.Json[List[int]], "[1]", 1),
    ("byte size", pydantic.ByteSize, "1 MB", "much"),
    ("enum", Mood, "good", "fair"),
    ("enum of numbers", Star, 1, 3),
    ("named tuple", Point, [1, 2.5], ["x"]),
    ("typed dictionary", Options, {"a": 1}, {"b": "x"}),
    ("dataclass", Plain, {"a": 1}, {"a": "x"}),
    ("tuple", Tuple[int, str], [1, "a"], [1, "a", 2]),
    ("tuple of any length", Tuple[int, ...], [1, 2], ["x"]),
    ("empty tuple", Tuple[()], [], [1]),
    ("set", Set[int], [1, 2], [[1]]),
    ("frozen set", FrozenSet[str], ["a"], [1]),
    ("dictionary", Dict[str, int], {"a": 1}, {"a": "x"}),
    ("dictionary of moods", Dict[Mood, int], {"good": 1}, {"good": "x"}),
    ("dictionary by pattern", Dict[Annotated[str, Field(pattern="^a+$")], int], {"aa": 1}, {"aa": "x"}),
    ("optional", Optional[int], None, "x"),
    ("literals", Literal["a", 1, None], None, "b"),
    ("literal", Literal["a"], "a", "b"),
    ("discriminated union", Pet, {"kind": "cat", "lives": 9}, {"kind": "dog", "weight": 0}),
    ("union", Union[Cat, Dog, int], 7, "x"),
    ("anything in a list", List[Any], [1, "x"], {}),
    ("constrained text", Annotated[str, Field(min_length=1, max_length=3, pattern=r"^\w+$")], "abc", "abcd"),
    ("float in hundredths", Annotated[float, Field(gt=0, le=5, multiple_of=0.25)], 1.25, 5.25),
    ("integer", Annotated[int, Field(ge=1, lt=9)], 8, 9),
    ("list", Annotated[List[int], Field(min_length=1, max_length=3)], [1], []),
    ("chapters of chapters", Chapter, {"title": "a", "children": [{"title": "b"}]}, {"title": "a", "children": [{}]}),
    ("closed model", Chapter, {"title": "a"}, {"title": "a", "more": 1}),
    ("optional of its own kind", Person, {"name": "a", "knows": {"name": "b"}}, {"name": "a", "knows": {}}),
    ("alias that refers to itself", Tree, {"a": [1, {"b": "c"}]}, {"a": [1.5]}),
    ("boolean", bool, True, {}),
    ("none", type(None), None, 0),
]


def takes(adapter: TypeAdapter, value: Any) -> bool:
    try:
        adapter.validate_json(json.dumps(value))
    except ValidationError:
        return False
    return True


def case(name: str, kind: Any, fits: Any, fails: Any) -> dict:
    model = create_model("Answer", value=(kind, Field(description="x", title="Value")))
    adapter = TypeAdapter(model)
    good, bad = {"value": fits}, {"value": fails}
    if not takes(adapter, good) or takes(adapter, bad):
        raise SystemExit(f"{name}: Pydantic takes and refuses other values")
    return {"name": name, "schema": model.model_json_schema(), "fits": good, "fails": bad}


cases = [case(*field) for field in FIELDS]
print(json.dumps([{"by": f"Pydantic {pydantic.VERSION}", "cases": cases}]))
