# C types of signs.py: where it runs uncompiled, nobody reads this file.
cimport cython

cdef int _DOUBT, _STANDFIRST, _HEADING, _POINTER, _CONSENT, _REST, _ALWAYS, _LONGEST_POINTER, _STANDFIRST_WORDS
cdef int _TABLE, _DEFINITIONS, _PARENT, _FIRST_BLOCK, _END_BLOCK, _FEWEST_CELLS, _MOST_OF_CELL, _MOST_WITH_HEADER
cdef int _BEGIN_WORDS, _BLOCKS_BEFORE, _EDGE_CHARACTERS, _WORDS, _ANCHOR_WORDS, _START, _END
cdef double _POINTER_LINKS, _LEAST_LOG_ODDS, _STANDFIRST_LINKS, _HEADING_LINKS, _PROSE_LINKS, _FURTHEST, _DOUBTFUL
cdef double _UNSURE, _MOST_FOUND
cdef unsigned char _SPACE, _ALPHANUMERIC
cdef unsigned int _BLANK, _QUOTE, _APOSTROPHE, _FINAL_SIGMA, _SIGMA, _UNPARTED, _LAST_ONES, _EVEN_ONES
cdef double _LEAST_OF_SECTION
cdef int _BEFORE_LIST, _LONGEST_BEGIN, _BITS, _HASH_BITS
cdef unsigned long long _TWO, _ALL_BITS, _SPREAD, _ROW, _CELL, _HEADER, _TABLE_KEY, _LIST_KEY

cdef class Begins:
    cdef readonly const unsigned char[::1] pairs, slots
    cdef readonly const unsigned long long[::1] numbers
    cdef readonly const unsigned int[::1] lower_case

@cython.locals(
    following=Py_ssize_t, place=Py_ssize_t, count=Py_ssize_t, first=Py_ssize_t, second=Py_ssize_t, last=Py_ssize_t,
    last_but_one=Py_ssize_t, begin=Py_ssize_t, block=Py_ssize_t, bits=int, expected=double, expected_kept=double,
    chance=double, kept_words=cython.longlong, likely_words=cython.longlong, prose=cython.longlong,
)
cdef tuple _look(blocks, is_kept, log_odds, Begins consent)
@cython.locals(
    place=Py_ssize_t, block=Py_ssize_t, behind=Py_ssize_t, cells=Py_ssize_t, has_row=bint, has_header=bint,
    held=cython.longlong, most=cython.longlong,
)
cdef bint _may_hold_data(
    Py_ssize_t table, const unsigned long long[::1] keys, const int[:, ::1] inside, const int[::1] words
)
@cython.locals(
    number=cython.ulonglong, begin=cython.ulonglong, code=cython.uint, last_code=cython.uint, starts=cython.uint,
    follows_word=bint, block=Py_ssize_t, length=int, behind=Py_ssize_t, place=Py_ssize_t, slot=Py_ssize_t,
)
cdef object _may_ask(blocks, edges, Begins consent)
@cython.locals(place=Py_ssize_t)
cpdef object inside(blocks, counts, among=*)
@cython.locals(place=Py_ssize_t, block=Py_ssize_t, behind=int)
cpdef object within(blocks, containers)
@cython.locals(
    block=Py_ssize_t, count=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t, behind=int, size=int, rank=int, higher=int,
    around=int, may_be=bint,
)
cdef object _section_headings(blocks, kept, bint of_list)
@cython.locals(number=Py_ssize_t)
cdef inline bint _is_one_of(unsigned long long key, const unsigned long long[::1] keys) noexcept nogil
