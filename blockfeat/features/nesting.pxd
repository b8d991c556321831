# C types of nesting.py: where it runs uncompiled, nobody reads this file.

cdef int _KINDS, _MOST_CUES
cdef unsigned int _IN_PARAGRAPH, _MOST_AROUND
cdef Py_ssize_t _ROOTS
cdef double _WIDE

cdef int _ELEMENT, _PARENT, _DEPTH, _FIRST, _END, _LARGER, _NEGATIVES, _SHUNNED, _AGAINST, _POSITIVE
cdef int _CONTAINER, _WORDS

cdef inline unsigned int _one_more(unsigned int around, unsigned int bits) noexcept nogil
cdef inline int _count_bits(unsigned int bits) noexcept nogil
