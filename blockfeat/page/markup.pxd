# C types of markup.py: where it runs uncompiled, nobody reads this file.
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memchr, memcpy

cdef extern from "plain_bytes.h" nogil:
    Py_ssize_t find_not_plain(
        const unsigned char *data, Py_ssize_t place, Py_ssize_t stop, Py_ssize_t size, const unsigned char *is_plain
    )

ctypedef const unsigned char[::1] Bytes

cdef inline Py_ssize_t find_byte(Bytes data, int byte, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef const void *found
    if start >= stop:
        return -1
    found = memchr(&data[start], byte, stop - start)
    return -1 if found == NULL else <const unsigned char *> found - &data[0]

cdef inline void copy_bytes(unsigned char[::1] out, Py_ssize_t place, Bytes data, Py_ssize_t start, Py_ssize_t count) noexcept nogil:
    if count:
        memcpy(&out[place], &data[start], count)

cdef inline bytes bytes_of(Bytes data, Py_ssize_t size):
    return PyBytes_FromStringAndSize(<const char *> &data[0], size)

cdef int _TEXT, _VALUE
cdef int _AMPERSAND, _HASH, _SLASH, _SEMICOLON, _LESS, _EQUALS, _GREATER, _QUOTE
cdef int _SPACE, _LETTER_A, _LETTER_F, _LETTER_X, _LETTER_Z, _DIGIT_0, _DIGIT_9, _LOWER
cdef int _REPLACEMENT, _LONGEST_REFERENCE, _LONGEST_UNTERMINATED, _SLOTS
cdef unsigned long long _FNV_START, _FNV_PRIME, _MASK
cdef Bytes _IS_PLAIN, _ESCAPES, _NAME_BYTE, _REFERENCE_NAMES, _REFERENCE_TEXTS

cdef inline Py_ssize_t behind_plain(Bytes data, Py_ssize_t start, Py_ssize_t stop, int kind) noexcept nogil:
    return find_not_plain(&data[0], start, stop, data.shape[0], &_IS_PLAIN[kind * 256])

cdef int[::1] _ESCAPE_AT, _REFERENCE_SLOTS, _REFERENCE_NAME_AT, _REFERENCE_TEXT_AT, _C1

cdef class Markup:
    cdef Bytes data
    cdef unsigned char[::1] out
    cdef Py_ssize_t size, room
    cdef list arrays
    cdef int[::1] tag_start, tag_stop, tag_origin, opened, closed
    cdef unsigned long long[::1] key
    cdef Py_ssize_t tags, tag_room, elements, element_room
    cdef readonly Py_ssize_t replaced

    @cython.final
    cdef inline int reserve(self, Py_ssize_t count) except -1 nogil
    @cython.final
    cdef int _grow(self, Py_ssize_t count) except -1 with gil
    @cython.final
    cdef inline int reserve_tag(self) except -1 nogil
    @cython.final
    cdef int _grow_columns(self) except -1 with gil
    @cython.final
    cdef inline int put(self, int byte) except -1 nogil
    @cython.final
    cdef inline int copy(self, Py_ssize_t start, Py_ssize_t stop) except -1 nogil
    @cython.final
    cdef int write_text(self, Py_ssize_t start, Py_ssize_t stop, bint has_references) except -1 nogil
    @cython.final
    cdef inline int write_name(self, Py_ssize_t start, Py_ssize_t stop) except -1 nogil
    @cython.final
    cdef int _write_escaped(self, Py_ssize_t start, Py_ssize_t stop, int kind, bint has_references) except -1 nogil
    @cython.final
    cdef inline Py_ssize_t _put_name(self, Py_ssize_t size, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    @cython.final
    cdef int _write_escape(self, int byte, int kind) except -1 nogil
    @cython.final
    cdef Py_ssize_t _write_reference(self, Py_ssize_t start, Py_ssize_t stop, int kind) except -1 nogil
    @cython.final
    cdef Py_ssize_t _write_number(self, Py_ssize_t start, Py_ssize_t stop, int kind) except -1 nogil
    @cython.final
    cdef Py_ssize_t _write_named(self, Py_ssize_t start, Py_ssize_t stop, int kind) except -1 nogil
    @cython.final
    cdef int _reference(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    @cython.final
    cdef int _write_character(self, int code, int kind) except -1 nogil
    @cython.final
    cdef int write_attribute(
        self, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t value_start, Py_ssize_t value_stop
    ) except -1 nogil
    @cython.final
    cdef int begin_start_tag(self, Py_ssize_t origin) except -1 nogil
    @cython.final
    cdef int end_start_tag(self, unsigned long long key, bint is_empty) except -1 nogil
    @cython.final
    cdef int write_end_tag(self, Py_ssize_t element, Py_ssize_t origin) except -1 nogil

cdef bint _is_alphanumeric(int byte) noexcept nogil
