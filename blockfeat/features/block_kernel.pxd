# C types of block_kernel.py: where it runs uncompiled, nobody reads this file.

from blockfeat.features cimport places as column

cdef unsigned long long _ALL_BITS
cdef double _LONGEST_WORD
cdef int _MOST_OCCURRENCES, _SHORT, _FLAGS

cdef int _START, _END, _FORMATS, _LISTS, _STRUCTURES
cdef int _WORDS, _ANCHOR_WORDS, _SENTENCES, _UNSPACED_WORDS, _CHARACTERS, _ALPHANUMERICS

cdef void _add_canonical(float[:, ::1] row, int[:, ::1] count, int[:, ::1] place, double[::1] stop_words) noexcept nogil
cdef void _add_lengths(float[:, ::1] row, int[:, ::1] count) noexcept nogil
cdef void _add_page(float[:, ::1] row, int[:, ::1] count) noexcept nogil
cdef void _add_anchors(float[:, ::1] row, int[:, ::1] place, int[::1] start) noexcept nogil
cdef void _add_words(
    float[:, ::1] row, int[:, ::1] counts, unsigned char[::1] flags, unsigned long long[::1] keys,
    unsigned long long[::1] code, double in_title, double in_descriptions
) noexcept nogil
cdef void _add_occurrences(float[:, ::1] row, int[::1] number, int[::1] count) noexcept nogil
cdef void _add_endings(float[:, ::1] row, int[:, ::1] places, str text)
cdef void _add_neighbours(float[:, ::1] row) noexcept nogil
cdef inline bint _is_space(Py_UCS4 character)
cdef inline double _terminal(Py_UCS4 character)
