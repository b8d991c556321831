# C types of utf_8.py: where it runs uncompiled, nobody reads this file.
cimport cython

cdef extern from "plain_bytes.h" nogil:
    Py_ssize_t behind_ascii(const unsigned char *data, Py_ssize_t place, Py_ssize_t stop)

cdef inline Py_ssize_t _behind_ascii(const unsigned char[::1] data, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    return behind_ascii(&data[0], place, size)

cdef unsigned long long _SPREAD, _ALL_BITS
cdef bytes _LOWER_CASE

@cython.locals(place=Py_ssize_t, before=Py_ssize_t, found=Py_ssize_t)
cdef Py_ssize_t _pairs(const unsigned char[::1] data, Py_ssize_t size)
cdef bint _is_doubled(int second, int lead) noexcept nogil
@cython.locals(lead=int, following=int, number=int, length=int)
cdef Py_ssize_t _behind_character(const unsigned char[::1] data, Py_ssize_t place, Py_ssize_t size) noexcept nogil
cdef Py_ssize_t _width(Py_ssize_t begun) noexcept nogil
@cython.locals(part=Py_ssize_t)
cdef list _likely_places(bytes data, int[::1] starts, int[::1] ends, bytes slots, bytes windows, Py_ssize_t begun)
@cython.locals(
    width=Py_ssize_t, size=Py_ssize_t, step=Py_ssize_t, bits=cython.uint, place=Py_ssize_t, at=Py_ssize_t,
    begin=Py_ssize_t, number=Py_ssize_t, four=cython.uint, key=cython.ulonglong, slot=cython.ulonglong,
)
cdef object _likely_in(
    bytes data, Py_ssize_t start, Py_ssize_t end, bytes slots, bytes windows, Py_ssize_t begun, object found
)
