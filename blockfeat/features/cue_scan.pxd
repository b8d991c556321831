# C types of cue_scan.py: where it runs uncompiled, nobody reads this file.
cimport cython

cdef unsigned long long _CLASS_NAME, _ID_NAME, _ROLE_NAME, _ITEMPROP_NAME, _HIDDEN_NAME, _STYLE_NAME
cdef unsigned long long _TESTID_ENDING, _HIDDEN_ENDING, _SEVEN_BYTES, _SPREAD
cdef Py_ssize_t _LONGEST_VALUE
cdef int _WORD_BYTES, _ROLE, _PROPERTY

cdef inline unsigned long long _spread(unsigned long long key) noexcept nogil
cdef inline bint _is_space(unsigned char code) noexcept nogil

@cython.final
cdef class _TagScanner:
    cdef bytes markup
    cdef const unsigned char *source, *cases, *lowered
    cdef unsigned long long[::1] bounds
    cdef unsigned int[::1] cues
    cdef int[::1] first_bounds
    cdef unsigned int hidden, bits
    cdef unsigned long long class_words, name
    cdef Py_ssize_t value, value_end

    cdef void scan(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t _read_attribute(self, Py_ssize_t position, Py_ssize_t end) noexcept nogil
    cdef void _interpret(self) noexcept nogil
    cdef bint _begins_with(self, const unsigned char *text, Py_ssize_t length) noexcept nogil
    cdef void _read_words(self, int scope, bint is_class) noexcept nogil
    cdef void _look_up(self, unsigned long long letters, int length, int scope, bint is_class) noexcept nogil
    cdef unsigned int _cues_of(self, unsigned long long key) noexcept nogil
