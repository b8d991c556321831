# C types of decoding.py: where it runs uncompiled, nobody reads this file.

cdef void _follow_chain(
    const double[:] gains, const double[:, :] pairs, unsigned char[::1] from_one, unsigned char[::1] labels
)
