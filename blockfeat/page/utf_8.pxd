# C types of utf_8.py: where it runs uncompiled, nobody reads this file.

cdef extern from "plain_bytes.h" nogil:
    Py_ssize_t behind_ascii(const unsigned char *data, Py_ssize_t place, Py_ssize_t stop)

cdef inline Py_ssize_t _behind_ascii(const unsigned char[::1] data, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    return behind_ascii(&data[0], place, size)

cdef unsigned long long _SPREAD, _ALL_BITS
cdef bytes _LOWER_CASE

cdef Py_ssize_t _pairs(const unsigned char[::1] data, Py_ssize_t size)
cdef bint _is_doubled(int second, int lead) noexcept nogil
cdef Py_ssize_t _behind_character(const unsigned char[::1] data, Py_ssize_t place, Py_ssize_t size) noexcept nogil
cdef list _likely_places(bytes data, int[::1] starts, int[::1] ends, bytes slots, int begun)
cdef object _likely_in(bytes data, Py_ssize_t start, Py_ssize_t end, bytes slots, int begun, object found)
