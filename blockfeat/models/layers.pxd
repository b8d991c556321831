# C types of layers.py, and what it takes from C: where it runs uncompiled, nobody reads this file.
cimport cython

from blockfeat.features.block_kernel cimport FeatureRows

cdef extern from "products.h" nogil:
    void add_wide(
        const float *rows, const float *weights, float *sums, Py_ssize_t count, Py_ssize_t width, Py_ssize_t columns
    )
    void add_dots(const float *rows, const float *weights, float *sums, Py_ssize_t count, Py_ssize_t width)

cdef inline void add_dot_products(const float[:, ::1] rows, const float[::1] weights, float[::1] sums) noexcept nogil:
    if rows.shape[0]:
        add_dots(&rows[0, 0], &weights[0], &sums[0], rows.shape[0], rows.shape[1])

cdef inline void add_product(const float[:, ::1] rows, const float[:, ::1] weights, float[:, ::1] sums) noexcept nogil:
    if rows.shape[0] and rows.shape[1]:
        add_wide(&rows[0, 0], &weights[0, 0], &sums[0, 0], rows.shape[0], rows.shape[1], sums.shape[1])

@cython.final
cdef class Network:
    cdef object arguments
    cdef const float[::1] mean, scale, inner_bias, page_bias, outer
    cdef const float[:, ::1] inner, page, biases
    cdef const float[:, :, ::1] convolutions
    cdef const int[::1] dilations
    cdef float most, outer_bias

    cdef void _write_logits(
        self, FeatureRows rows, float[:, ::1] inputs, float[:, :, ::1] states, float[:, ::1] page, float[::1] logits
    ) noexcept
    cdef void _write_alone(
        self, FeatureRows rows, Py_ssize_t first, float[:, ::1] inputs, float[:, ::1] channels, float[::1] sums
    ) noexcept nogil
    cdef void _write_whole(self, float[:, ::1] sums, float[:, ::1] found, Py_ssize_t count) noexcept nogil
    cdef Py_ssize_t _convolve(self, float[:, :, ::1] states, const float[::1] whole) noexcept nogil
