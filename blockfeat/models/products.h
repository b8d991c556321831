/* Matrix products of a few hundred rows: a library of linear algebra takes longer to begin than these take. */

#include <stddef.h>

/* Adds the product of rows (count x width) and weights (width x columns). */
static void
add_plain(const float *rows, const float *weights, float *sums, ptrdiff_t count, ptrdiff_t width, ptrdiff_t columns) {
    for (; count > 0; count--, rows += width, sums += columns)
        for (ptrdiff_t place = 0; place < width; place++)
            for (ptrdiff_t column = 0; column < columns; column++)
                sums[column] += rows[place] * weights[place * columns + column];
}

#if defined(__GNUC__) && defined(__x86_64__)

#define COLUMNS 16 /* that are summed up at a time: two vectors */
#define ROWS 6     /* so many times two sums stay in registers */

typedef float Vector __attribute__((vector_size(32), aligned(4), may_alias));

/* Adds the products of some rows with COLUMNS columns. */
__attribute__((target("avx2,fma"), always_inline)) static inline void
add_tile(const float *rows, const float *weights, float *sums, ptrdiff_t width, ptrdiff_t columns, const int count) {
    Vector left[ROWS], right[ROWS];
    for (int row = 0; row < count; row++) {
        left[row] = *(const Vector *)(sums + row * columns);
        right[row] = *(const Vector *)(sums + row * columns + COLUMNS / 2);
    }
    for (ptrdiff_t place = 0; place < width; place++, weights += columns) {
        Vector first = *(const Vector *)weights, second = *(const Vector *)(weights + COLUMNS / 2);
        for (int row = 0; row < count; row++) {
            left[row] += rows[row * width + place] * first;
            right[row] += rows[row * width + place] * second;
        }
    }
    for (int row = 0; row < count; row++) {
        *(Vector *)(sums + row * columns) = left[row];
        *(Vector *)(sums + row * columns + COLUMNS / 2) = right[row];
    }
}

/* Does the same for a multiple of COLUMNS, on processors with 256-bit vectors. */
__attribute__((target("avx2,fma"))) static void
add_tiles(const float *rows, const float *weights, float *sums, ptrdiff_t count, ptrdiff_t width, ptrdiff_t columns) {
    for (ptrdiff_t column = 0; column < columns; column += COLUMNS) {
        ptrdiff_t row = 0;
        for (; row + ROWS <= count; row += ROWS)
            add_tile(rows + row * width, weights + column, sums + row * columns + column, width, columns, ROWS);
        for (; row < count; row++)
            add_tile(rows + row * width, weights + column, sums + row * columns + column, width, columns, 1);
    }
}

static void
add_wide(const float *rows, const float *weights, float *sums, ptrdiff_t count, ptrdiff_t width, ptrdiff_t columns) {
    if (columns % COLUMNS == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        add_tiles(rows, weights, sums, count, width, columns);
    else
        add_plain(rows, weights, sums, count, width, columns);
}

#else

#define add_wide add_plain

#endif
