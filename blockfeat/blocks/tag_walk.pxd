# C types of tag_walk.py: where it runs uncompiled, nobody reads this file.
cimport cython

from blockfeat.blocks.text_reader cimport TextReader

cdef int _OPERATION, _REMOVE_WITH_SPACE, _REMOVE_BETWEEN_WORDS, _BOUNDARY, _PRUNE
cdef int _ANCHOR_ROLE, _FORMAT_ROLE, _LINE_BREAK, _LIST_ROLE, _STRUCTURE_ROLE, _IN_ANCHOR, _IN_FORMAT, _NONE
cdef int _START, _END, _FIRST_BYTE, _END_BYTE, _CONTAINER, _FORMATS, _LISTS, _STRUCTURES
cdef int _ELEMENT, _PARENT, _FIRST_BLOCK, _END_BLOCK, _ANCHOR_START, _ANCHOR_END, _PIECE_END, _PIECE_FLAGS
cdef int _LONGEST_SIGN, _OPEN_BLOCK, _OPEN_SOLID, _OPEN_ANCHOR
cdef unsigned char _IS_SPACE, _IS_ALPHANUMERIC
cdef unsigned int _NEW_LINE, _BLANK

@cython.final
cdef class _Walk(TextReader):
    # The page.
    cdef const int[::1] start, stop, opened, closed
    cdef const unsigned char[::1] codes
    cdef int breaks_of_split

    # Columns of what is found, a row each; the first entries count, as many as the counters say.
    cdef tuple arrays
    cdef long long sizes[7]
    cdef int[:, ::1] block, container, anchor, piece
    cdef int[::1] place
    cdef int blocks, containers, anchors, pieces

    # Elements that are open, from the outermost; the innermost container; flags of the text here.
    cdef int[:, ::1] open
    cdef int level, innermost, anchors_open, formats_open, flags

    # The stretch of text since the last split, a block if it holds more than white space: characters other than white
    # space before it, and its container; line breaks in a row.
    cdef int stretch_solid, stretch_byte, stretch_container, breaks, solid_at_break

    cdef void _count(self) noexcept nogil
    cdef void _walk(self) noexcept nogil
    cdef void _open(self, int element, Py_ssize_t tag) noexcept nogil
    cdef void _close(self, Py_ssize_t tag) noexcept nogil
    cdef bint _ends_row_of_breaks(self) noexcept nogil
    cdef void _end_stretch(self, long long end, long long following) noexcept nogil
    cdef void _add_container(self, int element, bint is_empty) noexcept nogil
    cdef void _count_roles(self, int code, int block) noexcept nogil
    cdef void _enter(self, int element, int code) noexcept nogil
    cdef void _leave(self, int code) noexcept nogil
    cdef void _change_flags(self) noexcept nogil
    cdef void _end_piece(self) noexcept nogil
    cdef void _write_mark(self, int code) noexcept nogil
