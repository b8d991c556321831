"""The record of a page as a schema of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blockfeat.errors import MissingExtraError
from blockfeat.io.outputs.columns import Column, record_columns

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType


def check_extra() -> None:
    """Check that PySpark is there.

    Raises
    ------
    MissingExtraError
        It is not.
    """
    try:
        import pyspark.sql  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Spark needs PySpark: pip install blockfeat[spark]") from error


def record_struct(*, evidence: bool = False) -> StructType:
    """Return the columns of a record, as `blockfeat extract -o out.parquet` writes them, as a schema of Spark.

    Parameters
    ----------
    evidence : bool
        Add the column ``blocks``.

    Raises
    ------
    MissingExtraError
        PySpark is not installed.
    """
    check_extra()
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(column.name, _spark_type(column)) for column in record_columns(evidence=evidence)])


def _spark_type(column: Column) -> DataType:
    from pyspark.sql.types import ArrayType, BooleanType, DoubleType, LongType, StringType

    types: dict[str, DataType] = {
        "text": StringType(),
        "texts": ArrayType(StringType()),
        "integer": LongType(),
        "number": DoubleType(),
        "boolean": BooleanType(),
    }
    return types[column.type]
