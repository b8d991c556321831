/* The end of bytes that are written as they are, or are ASCII, sixteen at a time where that can be. */

#include <stddef.h>

#if defined(__GNUC__) && defined(__SSE2__)
#include <emmintrin.h>

/* Returns a bit for each of sixteen bytes that may need an escape: controls, " or &, < or >. */
static inline unsigned
may_end_in(const unsigned char *data) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)data);
    __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    __m128i delete = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F));
    __m128i quotes = _mm_cmpeq_epi8(_mm_and_si128(bytes, _mm_set1_epi8((char)0xFB)), _mm_set1_epi8(0x22));
    __m128i brackets = _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(2)), _mm_set1_epi8(0x3E));
    __m128i found = _mm_or_si128(_mm_or_si128(controls, delete), _mm_or_si128(quotes, brackets));
    return (unsigned)_mm_movemask_epi8(found);
}
#endif

/* Returns the first position before stop whose byte is not plain, or stop; size is that of all the data. */
static inline ptrdiff_t
find_not_plain(
    const unsigned char *data, ptrdiff_t place, ptrdiff_t stop, ptrdiff_t size, const unsigned char *is_plain
) {
#if defined(__GNUC__) && defined(__SSE2__)
    for (; place < stop && place + 16 <= size; place += 16)
        for (unsigned left = may_end_in(data + place); left; left &= left - 1) {
            ptrdiff_t found = place + __builtin_ctz(left);
            if (found >= stop)
                return stop;
            if (!is_plain[data[found]])
                return found;
        }
#endif
    while (place < stop && is_plain[data[place]])
        place++;
    return place < stop ? place : stop;
}

/* Returns the first position before stop whose byte is not ASCII, or stop. */
static inline ptrdiff_t
behind_ascii(const unsigned char *data, ptrdiff_t place, ptrdiff_t stop) {
#if defined(__GNUC__) && defined(__SSE2__)
    for (; place + 64 <= stop; place += 64) {
        const __m128i *next = (const __m128i *)(data + place);
        __m128i first = _mm_or_si128(_mm_loadu_si128(next), _mm_loadu_si128(next + 1));
        __m128i second = _mm_or_si128(_mm_loadu_si128(next + 2), _mm_loadu_si128(next + 3));
        if (_mm_movemask_epi8(_mm_or_si128(first, second)))
            break;
    }
    for (; place + 16 <= stop; place += 16) {
        unsigned others = (unsigned)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(data + place)));
        if (others)
            return place + __builtin_ctz(others);
    }
#endif
    while (place < stop && data[place] < 0x80)
        place++;
    return place;
}
