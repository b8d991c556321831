# What layers.py takes from C: where it runs uncompiled, nobody reads this file.
cdef extern from "products.h" nogil:
    enum:
        COLUMNS
    bint has_wide_vectors()
    void add_wide(
        const float *rows, const float *weights, float *sums, Py_ssize_t count, Py_ssize_t width, Py_ssize_t columns
    )
