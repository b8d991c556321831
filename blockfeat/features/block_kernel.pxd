# C types of block_kernel.py: where it runs uncompiled, nobody reads this file.

from blockfeat.features cimport places as column

cdef inline bint _is_space(Py_UCS4 character)
cdef inline double _terminal(Py_UCS4 character)
