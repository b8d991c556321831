"""Runs Python blocks in one namespace, in the interpreter that it is started with: ``python -I python_blocks.py FD``.

The file descriptor is one end of a socket. Each line that comes is a JSON object with the ``text`` of a block and its
``place``; the answer to each is a JSON line: what is wrong, or null.
"""

import ast
import json
import socket
import sys
import tokenize
import traceback
from io import StringIO
from typing import Any


def main(descriptor: int) -> None:
    """Answer until the other end is closed."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with socket.socket(fileno=descriptor).makefile("rw", encoding="utf-8") as other:
        for line in other:
            asked = json.loads(line)
            try:
                problem = _problem_of(asked["text"], asked["place"], names)
            except BaseException:
                problem = f"{asked['place']}:\n{traceback.format_exc()[-3000:]}"
            sys.stdout.flush()
            sys.stderr.flush()
            print(json.dumps(problem), file=other, flush=True)


def _problem_of(text: str, place: str, names: dict[str, Any]) -> str | None:
    """Run statement by statement; a value whose comment is a literal has to be that value."""
    comments = _comments(text)
    for statement in ast.parse(text).body:
        name = f"{place}, line {statement.lineno} of the block"
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), name, "exec"), names)
            continue
        value = eval(compile(ast.Expression(statement.value), name, "eval"), names)
        said = comments.get(statement.end_lineno or 0)
        if said is not None and value != said[0]:
            return f"{name}: the document says {said[0]!r}, it is {value!r}"
    return None


def _comments(text: str) -> dict[int, tuple[Any]]:
    """Return the comments that are literals, by line, as tuples of one."""
    found: dict[int, tuple[Any]] = {}
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            try:
                found[token.start[0]] = (ast.literal_eval(token.string.removeprefix("#").strip()),)
            except (SyntaxError, ValueError):
                continue
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]))
