"""A Spark session with two cores, one for all tests here; without PySpark or Java they are skipped."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17 (apt-get install openjdk-17-jre-headless)")
    from pyspark.sql import SparkSession

    workers = {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    before = {name: os.environ.get(name) for name in workers}
    os.environ.update(workers)
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "1",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[2]").appName("tests of blockfeat")
    for name, value in settings.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    yield started
    started.stop()
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
