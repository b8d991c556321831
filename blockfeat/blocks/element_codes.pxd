# C types of element_codes.py: where it runs uncompiled, nobody reads this file.

cdef int _OPERATION, _BOUNDARY, _PRUNE, _KEEPABLE, _REMOVE, _REMOVE_BETWEEN_WORDS, _SLOT_BITS, _FREE
cdef unsigned char _BLANK, _HYPHEN, _COLON, _B, _D, _F, _G, _I, _P, _T, _Y, _R, _QUOTE, _EQUALS, _SLASH, _TAB
cdef unsigned char _RETURN
cdef unsigned long long _PARAGRAPH, _NOSCRIPT, _SPAN

cdef inline Py_ssize_t _first_slot(unsigned long long key, int bits) noexcept nogil
cdef bint _has_break_class(const unsigned char[::1] source, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef int _code_of_removed(const unsigned char[::1] source, Py_ssize_t place, Py_ssize_t end) noexcept nogil
cdef inline bint _stands_at(
    const unsigned char[::1] source, Py_ssize_t place, Py_ssize_t end, const unsigned char[::1] mark
) noexcept nogil
cdef long long _last_text_tag(
    const unsigned char[::1] source, const int[::1] start, const int[::1] stop
) noexcept nogil
cdef void _keep_holders(
    const int[::1] opened, const int[::1] closed, const unsigned long long[::1] keys,
    unsigned char[::1] codes, long long last_text
) noexcept nogil
cdef Py_ssize_t _find_blocks(
    const int[::1] container, const unsigned long long[::1] keys, const unsigned long long[::1] wanted, int[::1] found
)
