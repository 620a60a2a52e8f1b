"""Reads Parquet as analysts do: each argument is PATH=COLUMN. Prints the results of pandas, pyarrow and polars as JSON."""

import json
import sys

import pandas
import polars
import pyarrow.dataset


def seen(values, types):
    return {"rows": len(values), "sum": sum(values), "columns": {name: str(type) for name, type in types}}


def read(path, column):
    frame = pandas.read_parquet(path)
    plain = pyarrow.dataset.dataset(path, format="parquet").to_table()
    hive = pyarrow.dataset.dataset(path, format="parquet", partitioning="hive").to_table()
    eager = polars.read_parquet(path)
    lazy = polars.scan_parquet(path).collect()
    return {
        "pandas": seen(frame[column].tolist(), frame.dtypes.items()),
        "pyarrow": seen(plain[column].to_pylist(), ((field.name, field.type) for field in plain.schema)),
        "pyarrow with hive": seen(hive[column].to_pylist(), ((field.name, field.type) for field in hive.schema)),
        "polars": seen(eager[column].to_list(), eager.schema.items()),
        "polars, lazy": seen(lazy[column].to_list(), lazy.schema.items()),
    }


print(json.dumps([read(*argument.split("=")) for argument in sys.argv[1:]]))
