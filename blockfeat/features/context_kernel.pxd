# C types of context_kernel.py: where it runs uncompiled, nobody reads this file.
cimport cython

from blockfeat.features cimport places as column

cdef int _AROUND_KINDS, _LEVELS, _PATH_LEVELS, _PARAGRAPH_SHIFT, _MOST_DEPTH, _FAR_CUE, _MOST_CUE_STEPS
cdef int _WORDS, _ANCHOR_WORDS, _MOST_HEADINGS, _FAR_HEADING, _FAR_PROSE, _MOST_STEPS, _REACH
cdef unsigned long long _BASE, _ALL_BITS
cdef double _TINY, _MAIN, _WIDE, _STRONG, _FURTHEST

cdef inline double _clip(double value) noexcept nogil

@cython.final
cdef class _Kernel:
    cdef float[:, ::1] out
    cdef Py_ssize_t blocks
    cdef int[::1] words, anchor_words, inner, parent, depth, first, end, larger, negatives, shunned, against
    cdef int[::1] positive, path, change
    cdef unsigned int[::1] bits, around
    cdef unsigned long long[::1] names
    cdef double[::1] words_before, words_inside, linked_before, good, good_before, good_inside, path_blocks
    cdef double[::1] path_good, path_words
    cdef double page_words, page_good

    cdef void look_around(self, unsigned int article, unsigned int main_heading) noexcept nogil
    cdef void follow_headings(self) noexcept nogil
    cdef void code_paths(self, unsigned long long[::1] codes) noexcept nogil
    cdef void add_good_words(self) noexcept nogil
    cdef void _add_up_paths(self) noexcept nogil
    cdef void compare_containers(self) noexcept nogil
    cdef void place_in_main(self) noexcept nogil
    cdef void _count_steps(self, int column, double least) noexcept nogil
    cdef void look_through_windows(self) noexcept nogil
    cdef double _density_within(self, Py_ssize_t block, Py_ssize_t reach) noexcept nogil
