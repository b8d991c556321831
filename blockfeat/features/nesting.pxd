# C types of nesting.py: where it runs uncompiled, nobody reads this file.

cdef inline unsigned int _one_more(unsigned int around, unsigned int bits) noexcept nogil
cdef inline int _count_bits(unsigned int bits) noexcept nogil
