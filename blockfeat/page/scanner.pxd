# C types of scanner.py: where it runs uncompiled, nobody reads this file.
cimport cython

from blockfeat.page.markup cimport bytes_of, find_byte
from blockfeat.page.tokens cimport (
    COMMENT_UNCLOSED, END_HIDDEN, FLATTENED, SCRIPT_UNCLOSED, STYLE_UNCLOSED, TAG_REMOVED, TITLE_REMOVED, _BANG, _CLASS,
    _DASH, _GREATER, _IS_LETTER, _IS_SPACE, _LD_JSON, _LESS, _MATH_TEX, _PLUS_AT, _QUESTION, _SCRIPT, _SLASH, _SLASH_AT,
    _SPACE, Tokens
)
from blockfeat.page.tree cimport HEAD, HTML, KNOWN, NEEDS_END_TAG, NONE, RAW_TEXT, REFERENCES, VOID, _FLAGS

cdef int _STYLE, _SVG, _NOSCRIPT, _TITLE, _SELECT, _OPTION, _OPTGROUP, _PLAINTEXT, _MATH

@cython.final
cdef class Scanner(Tokens):
    cdef bint keeps_raw_text, keeps_drawings, is_moved, drops_options
    cdef readonly bint may_have_formulas
    cdef set unclosed
    cdef long long[::1] moved
    cdef Py_ssize_t moved_count, moved_room
    cdef readonly list linked_data

    cdef int scan(self, Py_ssize_t start, Py_ssize_t stop) except -1 nogil
    cdef int scan_moved(self) except -1 nogil
    cdef Py_ssize_t _scan_markup(self, Py_ssize_t less) except -1 nogil
    cdef int _scan_text(self, Py_ssize_t start, Py_ssize_t stop) except -1 nogil
    cdef Py_ssize_t _scan_declaration(self, Py_ssize_t less) except -1 nogil
    cdef Py_ssize_t _scan_comment(self, Py_ssize_t start) except -1 nogil
    cdef Py_ssize_t _scan_start_tag(self, Py_ssize_t less) except -1 nogil
    cdef Py_ssize_t _scan_end_tag(self, Py_ssize_t less) except -1 nogil
    cdef Py_ssize_t _cut(self, int name, Py_ssize_t less) except -2 nogil
    cdef int _scan_dropped_option(self) except -1 nogil
    cdef Py_ssize_t _cut_script(self, int name, Py_ssize_t start) except -1 nogil
    cdef int _remember_linked_data(self, Py_ssize_t start) except -1 with gil
    cdef Py_ssize_t _cut_drawing(self, Py_ssize_t start) except -2 nogil
    cdef Py_ssize_t _move(self, Py_ssize_t less, Py_ssize_t start) except -1 nogil
    cdef int _grow_moved(self) except -1 with gil
    cdef bint _is_swallowing(self, int name, Py_ssize_t start) except -1 nogil
    cdef int _remember_unclosed(self, int name) except -1 with gil
    cdef Py_ssize_t _open(self, int name, Py_ssize_t less) except -1 nogil
    cdef Py_ssize_t _scan_raw_text(self, int name, Py_ssize_t start) except -1 nogil
