"""Extraction on Spark: a function over data frames, and a job from web archives or Parquet to Parquet.

``python -m blockfeat.integrations.spark`` and ``spark-submit …/blockfeat/integrations/spark/__main__.py`` run the job.
The extra ``spark`` brings PySpark and pandas, ``warc`` what reads archives; Java 17 has to be there.
"""

from __future__ import annotations

from blockfeat.integrations.spark.frame import extract, record_struct

__all__ = ["extract", "record_struct"]
