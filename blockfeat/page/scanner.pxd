# C types of scanner.py: where it runs uncompiled, nobody reads this file.
cimport cython

from blockfeat.page.markup cimport _FNV_PRIME, _FNV_START, _MASK, _NAME_BYTE, Bytes, Markup, find_byte
from blockfeat.page.tree cimport (
    BODY, HEAD, HTML, KNOWN, NEEDS_END_TAG, NONE, RAW_TEXT, REFERENCES, VOID, _FLAGS, _NAME_AT, _NAME_BYTES, Tree
)

cdef int _BANG, _QUOTE, _APOSTROPHE, _DASH, _SLASH, _LESS, _EQUALS, _GREATER, _QUESTION, _SPACE
cdef int _SCRIPT, _STYLE, _SVG, _NOSCRIPT, _TITLE, _SELECT, _OPTION, _OPTGROUP, _PLAINTEXT
cdef int _P, _DIV, _ARTICLE, _SECTION
cdef int _MOST_ATTRIBUTES, _SWALLOWED_TITLE, _NOT_SEARCHED
cdef int _IS_SPACE, _ENDS_NAME, _ENDS_ATTRIBUTE, _IS_LETTER
cdef int ATTRIBUTES_DROPPED, FLATTENED, TITLE_REMOVED, TAG_REMOVED, COMMENT_UNCLOSED, SCRIPT_UNCLOSED, STYLE_UNCLOSED
cdef int SCRIPT_COMMENT, END_HIDDEN
cdef int _PLUS
cdef Bytes _CLASS, _LD_JSON
cdef unsigned long long _MIX

@cython.final
cdef class Scanner(Tree):
    cdef Py_ssize_t stop
    cdef bint keeps_raw_text, keeps_drawings, is_moved, drops_options, is_unescapable, is_self_closing
    cdef int warnings
    cdef int[::1] is_unclosed
    cdef long long[::1] next_end
    cdef Py_ssize_t next_paragraph
    cdef int[::1] has_no_quote
    cdef unsigned long long name_key
    cdef Py_ssize_t name_stop, attribute_stop, value_start, value_stop
    cdef unsigned int[::1] attribute_names
    cdef unsigned long long attribute_filter
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
    cdef bint _is_linked_data(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef int _remember_linked_data(self, Py_ssize_t start) except -1 with gil
    cdef Py_ssize_t _cut_drawing(self, Py_ssize_t start) except -2 nogil
    cdef Py_ssize_t _move(self, Py_ssize_t less, Py_ssize_t start) except -1 nogil
    cdef int _grow_moved(self) except -1 with gil
    cdef bint _is_swallowing(self, int name, Py_ssize_t start) except -1 nogil
    cdef Py_ssize_t _open(self, int name, Py_ssize_t less) except -1 nogil
    cdef Py_ssize_t _scan_raw_text(self, int name, Py_ssize_t start) except -1 nogil
    cdef int _read_name(self, Py_ssize_t start) noexcept nogil
    cdef Py_ssize_t _scan_attributes(self, Py_ssize_t place, bint is_written) except -2 nogil
    cdef Py_ssize_t _scan_attribute(self, Py_ssize_t start) noexcept nogil
    cdef Py_ssize_t _scan_value(self, Py_ssize_t place) noexcept nogil
    cdef bint _is_new_attribute(self, Py_ssize_t start, Py_ssize_t stop, int count) noexcept nogil
    cdef Py_ssize_t _behind_tag(self, Py_ssize_t place) except -1 nogil
    cdef Py_ssize_t _end_tag_of(self, int name, Py_ssize_t start) noexcept nogil
    cdef Py_ssize_t _find_end_tag(self, int name, Py_ssize_t start) noexcept nogil
    cdef Py_ssize_t _end_of_script(self, Py_ssize_t start) noexcept nogil
    cdef Py_ssize_t _end_of_escaped_script(self, Py_ssize_t start) noexcept nogil
    cdef bint _is_name(self, int name, Py_ssize_t place) noexcept nogil
    cdef bint _is_comment(self, Py_ssize_t place) noexcept nogil
    cdef bint _is_paragraph(self, Py_ssize_t place) noexcept nogil
    cdef bint _holds_paragraph(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint _is_swallowed(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
