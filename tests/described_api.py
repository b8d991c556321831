"""Requests made from the description of an API: whatever is asked, the service answers as it is described."""

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

_CHECKS = [
    *(not_a_server_error, checks.status_code_conformance),
    *(checks.content_type_conformance, checks.response_schema_conformance),
]


def answers_as_described(url: str, *, requests: int) -> int:
    """Send some requests to each operation of an API; return how many operations there are."""
    operations = [found.ok() for found in schemathesis.openapi.from_url(f"{url}/openapi.json").get_all_operations()]
    for operation in operations:

        @settings(max_examples=requests, deadline=None, derandomize=True, suppress_health_check=[*HealthCheck])
        @given(case=operation.as_strategy())
        def holds(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=_CHECKS)

        holds()
    return len(operations)
