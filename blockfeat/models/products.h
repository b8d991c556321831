/* Matrix products of a few hundred rows: a library of linear algebra takes longer to begin than these take. */

#include <stddef.h>

/* Adds the sum of the products of each row (count x width) with as many weights. */
static void
add_plain_dots(const float *rows, const float *weights, float *sums, ptrdiff_t count, ptrdiff_t width) {
    for (ptrdiff_t row = 0; row < count; row++)
        for (ptrdiff_t place = 0; place < width; place++)
            sums[row] += rows[row * width + place] * weights[place];
}

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
#define LANES 8
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

__attribute__((target("avx2,fma"))) static void
add_last_rows(
    const float *rows, const float *weights, float *sums, ptrdiff_t width, ptrdiff_t columns, ptrdiff_t count
) {
    switch (count) {
    case 1: add_tile(rows, weights, sums, width, columns, 1); break;
    case 2: add_tile(rows, weights, sums, width, columns, 2); break;
    case 3: add_tile(rows, weights, sums, width, columns, 3); break;
    case 4: add_tile(rows, weights, sums, width, columns, 4); break;
    case 5: add_tile(rows, weights, sums, width, columns, 5); break;
    }
}

__attribute__((target("avx2,fma"))) static void
add_vector_dots(const float *rows, const float *weights, float *sums, ptrdiff_t count, ptrdiff_t width) {
    for (ptrdiff_t row = 0; row < count; row++, rows += width) {
        Vector sum = {0};
        for (ptrdiff_t place = 0; place < width; place += LANES)
            sum += *(const Vector *)(rows + place) * *(const Vector *)(weights + place);
        for (int lane = 0; lane < LANES; lane++)
            sums[row] += sum[lane];
    }
}

/* Does the same for a multiple of COLUMNS, on processors with 256-bit vectors. */
__attribute__((target("avx2,fma"))) static void
add_tiles(const float *rows, const float *weights, float *sums, ptrdiff_t count, ptrdiff_t width, ptrdiff_t columns) {
    for (ptrdiff_t column = 0; column < columns; column += COLUMNS) {
        ptrdiff_t row = 0;
        for (; row + ROWS <= count; row += ROWS)
            add_tile(rows + row * width, weights + column, sums + row * columns + column, width, columns, ROWS);
        /* Fewer rows take nearly as long as all of them: the last ones stay together. */
        add_last_rows(rows + row * width, weights + column, sums + row * columns + column, width, columns, count - row);
    }
}

static void
add_wide(const float *rows, const float *weights, float *sums, ptrdiff_t count, ptrdiff_t width, ptrdiff_t columns) {
    if (columns % COLUMNS == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        add_tiles(rows, weights, sums, count, width, columns);
    else
        add_plain(rows, weights, sums, count, width, columns);
}

static void
add_dots(const float *rows, const float *weights, float *sums, ptrdiff_t count, ptrdiff_t width) {
    if (width % LANES == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        add_vector_dots(rows, weights, sums, count, width);
    else
        add_plain_dots(rows, weights, sums, count, width);
}

#else

#define add_wide add_plain
#define add_dots add_plain_dots

#endif
