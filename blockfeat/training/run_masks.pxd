# C types of run_masks.py: where it runs uncompiled, nobody reads this file.

cdef void _mark_runs(
    float[:, ::1] masks, const float[:, :] values, const float[::1] words, int start, int end, const float[:, ::1] thresholds, const float[::1] softness, const float[::1] penalty, Py_ssize_t offset, Py_ssize_t count
) noexcept nogil
