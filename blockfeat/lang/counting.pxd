# C types of counting.py: where it runs uncompiled, nobody reads this file.
cimport cython

cdef int _WORDS, _ANCHOR_WORDS, _FORMAT_WORDS, _SENTENCES, _UNSPACED_WORDS, _CHARACTERS, _ALPHANUMERICS
cdef int _MOST_CLOSERS
cdef unsigned char _ALPHANUMERIC, _WORD, _UNSPACED, _STOP, _STOP_OR_CLOSER, _SPACE, _LOWERCASE, _IN_ANCHOR
cdef unsigned char _IN_FORMAT
cdef unsigned int _PERIOD, _ZERO, _NINE
cdef unsigned long long _KEY_BASE, _KEY_SPREAD, _ALL_BITS

@cython.final
cdef class Row:
    cdef str matrix
    cdef Py_ssize_t number

cdef Py_ssize_t _find_words(const unsigned char[::1] classes, int[::1] starts, int[::1] ends)
cdef inline bint _continues_word(unsigned char own, unsigned char before) noexcept nogil
cdef inline unsigned long long _spread(unsigned long long key) noexcept nogil
cdef int _sentence_end(
    const unsigned int[::1] codes, const unsigned char[::1] classes, Py_ssize_t stop, Py_ssize_t block_end
) noexcept nogil
cdef Py_ssize_t _behind_closers(const unsigned char[::1] classes, Py_ssize_t place) noexcept nogil
cdef bint _is_wide(unsigned int stop) noexcept nogil
cdef bint _is_spaced(
    const unsigned int[::1] codes, const unsigned char[::1] classes, Py_ssize_t stop, Py_ssize_t behind, Py_ssize_t block_end
) noexcept nogil
cdef bint _is_initial_or_ordinal(
    const unsigned int[::1] codes, const unsigned char[::1] classes, Py_ssize_t stop
) noexcept nogil
cdef tuple _count_text(
    const unsigned int[::1] codes, const unsigned char[::1] classes, const int[::1] block_ends, const int[:, ::1] pieces, const unsigned int[::1] lower_case, int[:, ::1] counts, unsigned long long[::1] keys
)
cdef inline void _add_word(
    int[:, ::1] counts, Py_ssize_t block, unsigned char own, unsigned char flags, bint begins_sentence
) noexcept nogil
