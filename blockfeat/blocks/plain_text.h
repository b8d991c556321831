/* Stretches of plain text: ASCII characters and single blanks between them, sixteen at a time where that can be. */

#include <stddef.h>

#if defined(__GNUC__) && defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Returns the first position before stop of a control, an ampersand, a byte beyond ASCII or a second blank, or stop. */
static inline ptrdiff_t
find_not_plain_text(const unsigned char *source, ptrdiff_t place, ptrdiff_t stop) {
    unsigned follows_blank = 0;
#if defined(__GNUC__) && defined(__SSE2__)
    for (; place + 16 <= stop; place += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(source + place));
        unsigned blanks = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
        /* As signed numbers, bytes beyond ASCII are below zero. */
        __m128i others = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
        __m128i references = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('&'));
        unsigned ends = (unsigned)_mm_movemask_epi8(_mm_or_si128(others, references));
        ends |= blanks & (blanks << 1 | follows_blank);
        if (ends)
            return place + __builtin_ctz(ends);
        follows_blank = blanks >> 15;
    }
#endif
    for (; place < stop; place++) {
        unsigned byte = source[place];
        if (byte < ' ' || byte >= 0x80 || byte == '&' || (byte == ' ' && follows_blank))
            return place;
        follows_blank = byte == ' ';
    }
    return stop;
}

/* Writes bytes as code points; returns how many of them are blanks. */
static inline ptrdiff_t
widen(const unsigned char *restrict bytes, ptrdiff_t count, unsigned *restrict text) {
    ptrdiff_t blanks = 0;
    for (ptrdiff_t place = 0; place < count; place++) {
        text[place] = bytes[place];
        blanks += bytes[place] == ' ';
    }
    return blanks;
}
