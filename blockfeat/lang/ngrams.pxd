# C types of ngrams.py: where it runs uncompiled, nobody reads this file.

cdef int _add_up(
    const unsigned char[::1] text, const unsigned short[::1] bases, const unsigned char[::1] labels, const unsigned short[::1] rows, const unsigned char[:, ::1] levels, int[::1] counts, int[:, ::1] sums
)
