# C types of layers.py, and what it takes from C: where it runs uncompiled, nobody reads this file.
cimport cython

cdef extern from "products.h" nogil:
    void add_wide(
        const float *rows, const float *weights, float *sums, Py_ssize_t count, Py_ssize_t width, Py_ssize_t columns
    )

cdef inline void add_product(const float[:, ::1] rows, const float[:, ::1] weights, float[:, ::1] sums) noexcept nogil:
    if rows.shape[0] and rows.shape[1]:
        add_wide(&rows[0, 0], &weights[0, 0], &sums[0, 0], rows.shape[0], rows.shape[1], sums.shape[1])

@cython.final
cdef class Network:
    cdef object arguments
    cdef const float[::1] mean, scale, inner_bias, page_bias
    cdef const float[:, ::1] inner, page, biases
    cdef const float[:, :, ::1] convolutions
    cdef const int[::1] dilations
    cdef float most

    cdef void _write_alone(
        self, const float[:, ::1] matrix, float[:, ::1] inputs, float[:, ::1] channels, float[::1] sums
    ) noexcept
    cdef void _add_page(self, const float[:, ::1] mean, float[:, ::1] found) noexcept
    cdef void _convolve(self, float[:, :, ::1] states, const float[::1] whole) noexcept
