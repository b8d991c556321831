# C types of tokens.py: where it runs uncompiled, nobody reads this file.
cimport cython

from blockfeat.page.markup cimport _FNV_PRIME, _FNV_START, _MASK, _NAME_BYTE, Bytes, find_byte
from blockfeat.page.tree cimport BODY, KNOWN, _NAME_AT, _NAME_BYTES, Tree

cdef int _BANG, _QUOTE, _APOSTROPHE, _DASH, _SLASH, _LESS, _EQUALS, _GREATER, _QUESTION, _SPACE, _PLUS_AT, _SLASH_AT
cdef int _SCRIPT, _P, _DIV, _ARTICLE, _SECTION
cdef int _MOST_ATTRIBUTES, _SWALLOWED_TITLE, _NOT_SEARCHED
cdef int _IS_SPACE, _ENDS_NAME, _ENDS_ATTRIBUTE, _IS_LETTER
cdef int ATTRIBUTES_DROPPED, FLATTENED, TITLE_REMOVED, TAG_REMOVED, COMMENT_UNCLOSED, SCRIPT_UNCLOSED, STYLE_UNCLOSED
cdef int SCRIPT_COMMENT, END_HIDDEN
cdef Bytes _CLASS, _LD_JSON, _MATH_TEX
cdef unsigned long long _MIX

cdef class Tokens(Tree):
    cdef Py_ssize_t stop
    cdef int warnings
    cdef bint is_unescapable, is_self_closing
    cdef long long[::1] next_end
    cdef Py_ssize_t next_paragraph
    cdef int has_no_quote[2]
    cdef unsigned long long name_key
    cdef Py_ssize_t name_stop, attribute_stop, value_start, value_stop
    # As many as `_MOST_ATTRIBUTES`.
    cdef unsigned int attribute_names[500]
    cdef unsigned long long attribute_filter
    cdef unsigned int attribute_hash

    @cython.final
    cdef int forget(self) noexcept nogil
    @cython.final
    cdef bint _names_type(self, Bytes kind, int rare, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    @cython.final
    cdef inline int _read_name(self, Py_ssize_t start) noexcept nogil
    @cython.final
    cdef Py_ssize_t _scan_attributes(self, Py_ssize_t place, bint is_written) except -2 nogil
    @cython.final
    cdef inline Py_ssize_t _scan_attribute(self, Py_ssize_t start) noexcept nogil
    @cython.final
    cdef inline Py_ssize_t _scan_value(self, Py_ssize_t place) noexcept nogil
    @cython.final
    cdef inline bint _is_new_attribute(self, int count) noexcept nogil
    @cython.final
    cdef Py_ssize_t _behind_tag(self, Py_ssize_t place) except -1 nogil
    @cython.final
    cdef Py_ssize_t _end_tag_of(self, int name, Py_ssize_t start) noexcept nogil
    @cython.final
    cdef Py_ssize_t _find_end_tag(self, int name, Py_ssize_t start) noexcept nogil
    @cython.final
    cdef Py_ssize_t _end_of_script(self, Py_ssize_t start) noexcept nogil
    @cython.final
    cdef Py_ssize_t _end_of_escaped_script(self, Py_ssize_t start) noexcept nogil
    @cython.final
    cdef bint _is_name(self, int name, Py_ssize_t place) noexcept nogil
    @cython.final
    cdef bint _is_comment(self, Py_ssize_t place) noexcept nogil
    @cython.final
    cdef bint _is_paragraph(self, Py_ssize_t place) noexcept nogil
    @cython.final
    cdef bint _holds_paragraph(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    @cython.final
    cdef bint _is_swallowed(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
