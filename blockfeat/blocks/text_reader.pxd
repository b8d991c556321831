# C types of text_reader.py: where it runs uncompiled, nobody reads this file.
cimport cython
from cpython.unicode cimport PyUnicode_4BYTE_KIND, PyUnicode_FromKindAndData

cdef extern from "plain_text.h" nogil:
    Py_ssize_t find_not_plain_text(const unsigned char *source, Py_ssize_t place, Py_ssize_t stop)
    Py_ssize_t widen(const unsigned char *bytes, Py_ssize_t count, unsigned int *text)

cdef inline Py_ssize_t copy_plain_text(
    unsigned int[::1] text, Py_ssize_t at, const unsigned char *source, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    return widen(source + start, stop - start, &text[at])

cdef unsigned char _IS_SPACE, _IS_WORD, _IS_UNSPACED
cdef unsigned int _NEW_LINE, _RETURN, _BLANK, _AMPERSAND, _FIRST_NOT_ASCII, _SOFT_HYPHEN, _REPLACEMENT

cdef class TextReader:
    cdef const unsigned char *source
    cdef Py_ssize_t size
    cdef const unsigned char[::1] class_of
    cdef unsigned int[::1] text
    cdef int characters, solid, stretch_text
    cdef bint follows_white, is_border, has_marks

    @cython.final
    cdef int write_space(self, unsigned int character) noexcept nogil
    @cython.final
    cdef int read_text(self, Py_ssize_t byte, Py_ssize_t end) noexcept nogil
    @cython.final
    cdef Py_ssize_t _fold_white(self, Py_ssize_t byte, Py_ssize_t end) noexcept nogil
    @cython.final
    cdef Py_ssize_t _copy_plain(self, Py_ssize_t byte, Py_ssize_t end) noexcept nogil
    @cython.final
    cdef Py_ssize_t _copy_letters(self, Py_ssize_t byte, Py_ssize_t end) noexcept nogil
    @cython.final
    cdef int _part_words(self, unsigned int following) noexcept nogil
    @cython.final
    cdef int _write(self, unsigned int character) noexcept nogil
    @cython.final
    cdef int _note_solid(self, Py_ssize_t count) noexcept nogil
    @cython.final
    cdef Py_ssize_t _read_reference(self, Py_ssize_t byte, Py_ssize_t end) noexcept nogil
    @cython.final
    cdef bint _stands_at(self, Py_ssize_t byte, Py_ssize_t end, const unsigned char *wanted, Py_ssize_t length) noexcept nogil
    @cython.final
    cdef Py_ssize_t _read_sequence(self, Py_ssize_t byte, Py_ssize_t end) noexcept nogil

cdef inline str text_of(const unsigned int[::1] codes, Py_ssize_t size):
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, &codes[0], size)

cdef bint _is_mark(unsigned int character) noexcept nogil
