# C types of tree.py: where it runs uncompiled, nobody reads this file.
cimport cython

from blockfeat.page.markup cimport Bytes, Markup

cdef int KNOWN, NONE, HTML, HEAD, BODY, P
cdef int VOID, RAW_TEXT, REFERENCES, NEEDS_END_TAG, HEAD_CONTENT, OUTSIDE_BODY, PHRASING
cdef int _RANKS, _MOST_DEPTH, _SHIFT, _SLOTS, _LEVELS, _LEVELS_AT
cdef unsigned long long _SPREAD
cdef Bytes _IS_ENDED_BY, _NAME_BYTES
cdef int[::1] _FLAGS, _RANK, _NAME_AT

cdef class Tree(Markup):
    cdef unsigned long long[::1] slot_key
    cdef int[::1] slot_name
    cdef int slots, shift, names, name_room
    cdef int[::1] last_open
    cdef int[::1] level_name, level_element, same_name_below, same_rank_below
    cdef int[::1] last_of_rank
    cdef int depth, level_room, capped, deepest, discarded
    cdef bint has_head, has_body

    @cython.final
    cdef int name_of(self, unsigned long long key) except -1 nogil
    @cython.final
    cdef inline int find_name(self, unsigned long long key) except -2 nogil
    @cython.final
    cdef int _grow_names(self) except -1 with gil
    @cython.final
    cdef int _grow_levels(self) except -1 with gil
    @cython.final
    cdef inline int innermost(self) noexcept nogil
    @cython.final
    cdef bint prepare_start_tag(self, int name, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef int prepare_text(self, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef int begin_element(self, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef int end_of_start_tag(self, int name, unsigned long long key, bint is_empty) except -1 nogil
    @cython.final
    cdef int end_element(self, int name, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef int close_to(self, int depth, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef int _end_implied(self, int name, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef int _imply(self, int name, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef int _open_implied(self, int name, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef bint is_too_deep(self, int name) noexcept nogil
    @cython.final
    cdef int open_unwritten(self, int name) except -1 nogil
    @cython.final
    cdef int _push(self, int name, int element) except -1 nogil
    @cython.final
    cdef int _pop(self, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef inline bint _reaches(self, int name, int level) noexcept nogil

cdef int _slot(unsigned long long key, int shift) noexcept nogil
