"""Columns of the frames that go in and come out (conventions: long form, unique key)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trec_eval_py.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


# The run of the best rankings that judgments allow; no other may be named so.
CEILING = "ideal"


class Schema(NamedTuple):
    """A frame's columns in order with their dtypes; the first ``key`` columns are unique."""

    name: str
    columns: dict[str, str]
    key: tuple[str, ...]


RUN = Schema(
    "run",
    {"query_id": "str", "docno": "str", "rank": "int64", "score": "float64", "tag": "str"},
    ("query_id", "docno"),
)
QRELS = Schema(
    "qrels",
    {"query_id": "str", "docno": "str", "iteration": "str", "relevance": "int64"},
    ("query_id", "docno"),
)
SCORES = Schema(
    "scores",
    {
        "qrels": "str",
        "run": "str",
        "query_id": "str",
        "measure": "str",
        "value": "float64",
        "protocol": "str",
    },
    ("qrels", "run", "query_id", "measure"),
)
AGGREGATES = Schema(
    "aggregates",
    {
        "qrels": "str",
        "run": "str",
        "measure": "str",
        "value": "float64",
        "queries": "int64",
        "missing": "int64",
        "value_with_zeros": "float64",
        "protocol": "str",
    },
    ("qrels", "run", "measure"),
)


def frame(schema: Schema, columns: dict[str, list[object]]) -> pd.DataFrame:
    """Build a frame of this schema; the columns are given by name, all as long as each other."""
    import pandas as pd

    return pd.DataFrame(
        {name: pd.Series(columns[name], dtype=dtype) for name, dtype in schema.columns.items()}
    )


def check(table: pd.DataFrame, schema: Schema) -> None:
    """Refuse a frame whose columns, cells or key are not the schema's.

    Raises
    ------
    InputError
        Naming the missing column, the first cell of another type, or the first repeated key.
    """
    import pandas as pd

    if not isinstance(table, pd.DataFrame):
        raise InputError(
            f"{schema.name}: saw {table!r} ({type(table).__name__}), expected a frame. Read a file "
            f"with read_{schema.name}(path)."
        )
    missing = [name for name in schema.columns if name not in table.columns]
    if missing:
        raise InputError(
            f"{schema.name} frame: saw columns {', '.join(map(str, table.columns))}, expected "
            f"{', '.join(schema.columns)}. Rename or add {', '.join(missing)}."
        )
    for name, dtype in schema.columns.items():
        if dtype == "str":
            _refuse_other_than_text(schema, name, table[name])
        elif not pd.api.types.is_numeric_dtype(table[name]):
            raise InputError(
                f"{schema.name} frame: saw {name} of dtype {table[name].dtype}, expected numbers. "
                f"Convert it with pandas.to_numeric."
            )
    twice = table.duplicated(list(schema.key))
    if twice.any():
        row = table.loc[twice, list(schema.key)].iloc[0].to_dict()
        raise InputError(
            f"{schema.name} frame: saw {row} twice, expected each once. Drop the repeated row."
        )


def _refuse_other_than_text(schema: Schema, name: str, column: pd.Series[str]) -> None:
    if column.isna().any():
        raise InputError(
            f"{schema.name} frame: saw a row without {name}, expected text in each. Fill it."
        )
    if column.dtype == "str":
        return
    other = next((cell for cell in column.tolist() if not isinstance(cell, str)), None)
    if other is not None:
        raise InputError(
            f"{schema.name} frame: saw {name} {other!r} ({type(other).__name__}), expected text. "
            "Read it as text: dtype=str, keep_default_na=False."
        )
