# C types of context_kernel.py: where it runs uncompiled, nobody reads this file.
cimport cython

from blockfeat.features cimport places as column
from blockfeat.features.block_kernel cimport _ANCHOR_WORDS, _WORDS, OwnRows, log_of
from blockfeat.features.keys cimport number_codes

cdef int _AROUND_KINDS, _LEVELS, _PATH_LEVELS, _PARAGRAPH_SHIFT, _HEADING_SHIFT, _MOST_DEPTH, _FAR_CUE
cdef int _MOST_CUE_STEPS, _MOST_HEADINGS, _FAR_HEADING, _FAR_PROSE, _MOST_STEPS, _REACH
cdef unsigned long long _BASE, _ALL_BITS
cdef double _TINY, _MAIN, _WIDE, _STRONG, _FURTHEST

cdef inline double _clip(double value) noexcept nogil

@cython.final
cdef class PageRows(OwnRows):
    cdef const int[::1] inner, parent, depth, first, end, larger, negatives, shunned, against, positive
    cdef const int[::1] declared_words, other_words
    cdef int[::1] path
    cdef const unsigned int[::1] bits, around
    cdef const unsigned long long[::1] names
    cdef const double[::1] words_inside
    cdef double[::1] linked_before, good, good_before, good_inside, reply, path_blocks, path_good, path_words
    cdef unsigned char[::1] headings, since, main_steps, wide_steps, gap
    cdef Py_ssize_t main
    cdef double page_good, log_page_good, most_good, page_articles, page_paragraphs
    cdef double page_declared, page_declared_words

    cdef void _code_paths(self) noexcept
    cdef void _look_around(self, unsigned int article, unsigned int main_heading) noexcept
    cdef void _find_good_words(self) noexcept
    cdef void _add_up_paths(self) noexcept
    cdef void _find_main(self) noexcept
    cdef void _count_steps(self, unsigned char[::1] steps, int[::1] change, double least) noexcept nogil
    cdef void _write_cues_around(self, Py_ssize_t block, float[::1] row) noexcept nogil
    cdef void _write_good_words(self, Py_ssize_t block, float[::1] row) noexcept nogil
    cdef void _write_containers(self, Py_ssize_t block, float[::1] row) noexcept nogil
    cdef void _write_place_in_main(self, Py_ssize_t block, float[::1] row) noexcept nogil
    cdef double _density_within(self, Py_ssize_t block, Py_ssize_t reach) noexcept nogil
