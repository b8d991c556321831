# C types of word_keys.py: where it runs uncompiled, nobody reads this file.

cdef unsigned long long _ALL_BITS, _BASE, _SPREAD
cdef int _BUCKET_SHIFT

cdef void _write_keys(
    const unsigned int[::1] codes, const int[::1] starts, const int[::1] ends, unsigned long long[::1] keys
)
cdef void _look_up(
    const unsigned long long[::1] keys, const unsigned long long[::1] known, const unsigned long long[::1] known_masks, const int[::1] buckets, unsigned long long[::1] masks
)
cdef void _write_shares(const unsigned long long[::1] masks, const int[::1] words, int bit, double[::1] shares)
cdef tuple _take_prose(
    const int[::1] words, const int[::1] anchor_words, const unsigned long long[::1] masks, int[::1] blocks, unsigned long long[::1] sample, int fewest_words, int anchor_weight, int most_words
)
cdef void _mark_sequences(
    const unsigned int[::1] codes, const unsigned long long[::1] sequences, const int[::1] firsts, unsigned char[::1] covered
)
