/* Counts the bytes that are allocated, set and copied: loaded in front of the C library (LD_PRELOAD), on Linux with glibc. */
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static volatile int64_t moved;

int64_t moved_bytes(void) { return moved; }

static void count(size_t size) { __atomic_add_fetch(&moved, (int64_t)size, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    size_t before = old == NULL ? 0 : malloc_usable_size(old);
    void *found = __libc_realloc(old, size);
    /* What grows at its place copies nothing; the C library moves what is large by its pages. */
    if (found != old && before < 128 * 1024) count(before);
    if (size > before) count(size - before);
    return found;
}

void *memmove(void *to, const void *from, size_t size) {
    char *target = to;
    const char *source = from;
    count(size);
    if (target <= source || target >= source + size)
        for (size_t at = 0; at < size; at++) target[at] = source[at];
    else
        for (size_t at = size; at > 0; at--) target[at - 1] = source[at - 1];
    return to;
}

void *memcpy(void *to, const void *from, size_t size) { return memmove(to, from, size); }

void *__memcpy_chk(void *to, const void *from, size_t size, size_t most) {
    if (size > most) __builtin_trap();
    return memmove(to, from, size);
}

void *__memmove_chk(void *to, const void *from, size_t size, size_t most) {
    if (size > most) __builtin_trap();
    return memmove(to, from, size);
}

void *memset(void *to, int value, size_t size) {
    char *target = to;
    count(size);
    for (size_t at = 0; at < size; at++) target[at] = (char)value;
    return to;
}
