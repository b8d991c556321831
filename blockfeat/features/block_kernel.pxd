# C types of block_kernel.py: where it runs uncompiled, nobody reads this file.

from blockfeat.features cimport places as column
from blockfeat.features.keys cimport number_codes

cdef unsigned long long _ALL_BITS
cdef double _LONGEST_WORD
cdef int _MOST_OCCURRENCES, _SHORT, _FLAGS

cdef int _START, _END, _FORMATS, _LISTS, _STRUCTURES
cdef int _WORDS, _ANCHOR_WORDS, _SENTENCES, _UNSPACED_WORDS, _CHARACTERS, _ALPHANUMERICS

cdef class FeatureRows:
    cdef readonly Py_ssize_t blocks, width
    cdef const float[:, ::1] values

    cdef void write(self, Py_ssize_t first, float[:, ::1] rows) noexcept nogil

cdef class OwnRows(FeatureRows):
    cdef const int[:, ::1] count, place
    cdef const double[::1] words_before, stop_words
    cdef const unsigned char[::1] flags
    cdef int[::1] anchors, replies, replies_before, occurrences
    cdef int[::1] number, count_of, slots
    cdef unsigned long long[::1] code
    cdef unsigned long long spread
    cdef float[::1] terminal
    cdef double in_title, in_descriptions, page_words, page_density, page_unspaced, page_blocks

    cdef void _look_at_words(self, unsigned long long[::1] keys) noexcept
    cdef void _count_anchors(self, int[::1] start) noexcept
    cdef void _count_occurrences(self) noexcept
    cdef void _find_endings(self, str text)
    cdef double density(self, Py_ssize_t block) noexcept nogil
    cdef void write_own(self, Py_ssize_t block, float[::1] row) noexcept nogil
    cdef void _write_cues(self, Py_ssize_t block, double words, float[::1] row) noexcept nogil

cdef int _FEW
cdef double[::1] _LOGS

cdef double log_of(Py_ssize_t count) noexcept nogil
cdef inline bint _is_space(Py_UCS4 character)
cdef inline double _terminal(Py_UCS4 character)
