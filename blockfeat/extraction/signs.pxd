# C types of signs.py: where it runs uncompiled, nobody reads this file.

cdef inline bint _is_one_of(unsigned long long key, const unsigned long long[::1] keys) noexcept nogil
