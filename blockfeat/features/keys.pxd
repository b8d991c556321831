# C types of keys.py: where it runs uncompiled, nobody reads this file.

cdef unsigned char _TITLE, _DESCRIPTION

cdef inline int _search(
    unsigned long long wanted, unsigned long long[::1] keys, int[::1] starts, int shift
) noexcept nogil
cdef inline Py_ssize_t _place_of(
    unsigned long long key, unsigned long long multiplier, Py_ssize_t mask
) noexcept nogil
cpdef int number_codes(
    unsigned long long[::1] code, int[::1] number, int[::1] slots, unsigned long long multiplier
) noexcept nogil
cdef tuple _fill(
    unsigned long long[::1] key, Py_ssize_t split, unsigned long long spread, unsigned long long[::1] seen, unsigned char[::1] kinds
)
cdef inline Py_ssize_t _slot_of(
    unsigned long long key, unsigned long long multiplier, unsigned long long[::1] keys, unsigned char[::1] filled
) noexcept nogil
