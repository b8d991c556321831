# C types of text_writer.py: where it runs uncompiled, nobody reads this file.
cimport cython

cdef unsigned char _IS_GAP
cdef unsigned int _NEW_LINE, _RETURN, _BLANK
cdef int _HAS_WHITE, _HAS_RETURN, _HAS_NEW_LINE, _MOST_COLUMNS, _NEVER

@cython.final
cdef class Writer:
    cdef const unsigned int[::1] codes
    cdef const unsigned char[::1] classes
    cdef const int[::1] starts, ends
    cdef bint has_wide
    cdef object written
    cdef unsigned char[::1] out
    cdef Py_ssize_t size, piece, cut
    cdef int characters, next_cut
    cdef const int[::1] cuts
    cdef int[:, ::1] pieces

    cdef int write_blocks(
        self, const long long[::1] chosen, const int[::1] cuts, int[::1] firsts, int[:, ::1] pieces
    ) noexcept
    cdef int _end_piece(self, int place) noexcept nogil
    cdef bint _write_block(self, Py_ssize_t block) noexcept nogil
    cdef inline int _put(self, unsigned int code) noexcept nogil
    cdef inline int _put_byte(self, unsigned int byte) noexcept nogil

cpdef bint is_wide(unsigned int code) noexcept nogil

cdef int _place_cells(
    const int[::1] columns, const int[::1] rows, const int[::1] row_ends, int[:, ::1] grid
) except -1
cdef int _first_free(int[::1] taken, int column) noexcept nogil
