# C types of word_keys.py: where it runs uncompiled, nobody reads this file.

cdef unsigned long long _ALL_BITS, _BASE, _SPREAD
