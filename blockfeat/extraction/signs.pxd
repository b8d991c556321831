# C types of signs.py: where it runs uncompiled, nobody reads this file.

cdef int _DOUBT, _STANDFIRST, _HEADING, _POINTER, _CONSENT, _REST, _ALWAYS, _LONGEST_POINTER, _STANDFIRST_WORDS
cdef int _TABLE, _DEFINITIONS, _PARENT, _FIRST_BLOCK, _END_BLOCK, _FEWEST_CELLS, _MOST_OF_CELL, _MOST_WITH_HEADER
cdef int _BEGIN_WORDS, _BLOCKS_BEFORE, _EDGE_CHARACTERS, _WORDS, _ANCHOR_WORDS, _START, _END, _CONTAINER
cdef double _POINTER_LINKS, _LEAST_LOG_ODDS, _STANDFIRST_LINKS, _HEADING_LINKS, _PROSE_LINKS, _FURTHEST, _DOUBTFUL
cdef double _UNSURE, _MOST_FOUND
cdef unsigned char _SPACE, _ALPHANUMERIC
cdef unsigned int _BLANK, _QUOTE, _APOSTROPHE, _FINAL_SIGMA, _SIGMA, _UNPARTED, _LAST_ONES, _EVEN_ONES
cdef int _LONGEST_BEGIN, _BITS, _HASH_BITS
cdef unsigned long long _TWO, _ALL_BITS, _SPREAD, _ROW, _CELL, _HEADER

cdef bint _may_ask(
    Py_ssize_t first, Py_ssize_t second, Py_ssize_t last_but_one, Py_ssize_t last, const int[:, ::1] places,
    const unsigned int[::1] codes, const unsigned char[::1] classes, const unsigned int[::1] lower_case,
    const unsigned char[::1] pairs, const unsigned long long[::1] begins, const unsigned char[::1] slots
) noexcept nogil
cdef bint _may_hold_data(
    Py_ssize_t table, unsigned long long name, const unsigned long long[::1] keys, const int[:, ::1] inside,
    const int[::1] words
) noexcept nogil
cdef inline bint _is_one_of(unsigned long long key, const unsigned long long[::1] keys) noexcept nogil
