/* Fails chosen calls of the C library: loaded in front of it (LD_PRELOAD), on Linux with glibc.
 *
 * A plan in a shared file says which call: of one kind, the nth of all processes together, once or from then on. Calls
 * on files count only below the plan's folder, so that loading of modules does not. All kinds are counted at all times.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* In the order of injector.KINDS. */
enum { WRITE, SYNC, RENAME, OPEN, READ, CONNECT, TRANSFER, ALLOCATE, FORK, LOCK, COMMIT, LINE, KINDS };

struct plan {
    int32_t kind, error, lasting, kills;
    int64_t nth, fired, least_bytes;
    int64_t counts[KINDS];
    char folder[512];
};

static struct plan *volatile plan;

/* Map the plan; called by the process that runs the command, and at the start of programs that it starts. */
int torture_begin(const char *path) {
    int fd = open64(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return -1;
    void *found = mmap(NULL, sizeof(struct plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (found == MAP_FAILED) return -1;
    plan = found;
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("BLOCKFEAT_TORTURE_PLAN");
    if (path != NULL) torture_begin(path);
}

/* Count a call; return whether it shall fail, with errno set. */
int torture_fails(int kind) {
    struct plan *now = plan;
    if (now == NULL) return 0;
    int64_t number = __atomic_add_fetch(&now->counts[kind], 1, __ATOMIC_SEQ_CST);
    if (kind != now->kind || (now->lasting ? number < now->nth : number != now->nth)) return 0;
    __atomic_add_fetch(&now->fired, 1, __ATOMIC_SEQ_CST);
    if (now->kills) kill(getpid(), SIGKILL);
    errno = now->error;
    return 1;
}

static int is_below(const char *path) {
    struct plan *now = plan;
    return now != NULL && strncmp(path, now->folder, strlen(now->folder)) == 0;
}

static int is_file(int fd) {
    char name[64], path[1024];
    struct stat found;
    if (plan == NULL || fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) return 0;
    char *end = name + sizeof name - 1;
    *end = 0;
    do { *--end = '0' + fd % 10; } while (fd /= 10);
    end -= 14;
    memcpy(end, "/proc/self/fd/", 14);
    ssize_t size = readlink(end, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return is_below(path);
}

/* Count what goes over a connection, to elsewhere or between processes of this machine; one that fails is dead. */
static int socket_fails(int fd) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (plan == NULL || getsockname(fd, (struct sockaddr *)&address, &size) != 0) return 0;
    int is_network = address.ss_family == AF_INET || address.ss_family == AF_INET6;
    if ((!is_network && address.ss_family != AF_UNIX) || !torture_fails(is_network ? TRANSFER : LINE)) return 0;
    int error = errno;
    shutdown(fd, SHUT_RDWR);
    errno = error;
    return 1;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define ON_FILE(kind, result, name, parameters, arguments) \
    result name parameters { \
        REAL(name); \
        if (is_file(fd) && torture_fails(kind)) return -1; \
        return real arguments; \
    }

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    if (is_file(fd) && torture_fails(WRITE)) {
        /* As on a disk that becomes full: half is written, and the rest fails. */
        if (size > 1 && plan->lasting) return real(fd, data, size / 2);
        return -1;
    }
    if (socket_fails(fd)) return -1;
    return real(fd, data, size);
}

ON_FILE(WRITE, ssize_t, pwrite, (int fd, const void *data, size_t size, off_t place), (fd, data, size, place))
ON_FILE(WRITE, ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t place), (fd, data, size, place))
ON_FILE(WRITE, ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
ON_FILE(WRITE, int, ftruncate, (int fd, off_t size), (fd, size))
ON_FILE(WRITE, int, ftruncate64, (int fd, off64_t size), (fd, size))
ON_FILE(SYNC, int, fsync, (int fd), (fd))
ON_FILE(SYNC, int, fdatasync, (int fd), (fd))
ON_FILE(READ, ssize_t, pread, (int fd, void *data, size_t size, off_t place), (fd, data, size, place))
ON_FILE(READ, ssize_t, pread64, (int fd, void *data, size_t size, off64_t place), (fd, data, size, place))
ON_FILE(READ, ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))

ssize_t read(int fd, void *data, size_t size) {
    REAL(read);
    if (is_file(fd) && torture_fails(READ)) return -1;
    if (socket_fails(fd)) return -1;
    return real(fd, data, size);
}

ssize_t recv(int fd, void *data, size_t size, int flags) {
    REAL(recv);
    if (socket_fails(fd)) return -1;
    return real(fd, data, size, flags);
}

ssize_t send(int fd, const void *data, size_t size, int flags) {
    REAL(send);
    if (socket_fails(fd)) return -1;
    return real(fd, data, size, flags);
}

int connect(int fd, const struct sockaddr *address, socklen_t size) {
    REAL(connect);
    int is_network = address->sa_family == AF_INET || address->sa_family == AF_INET6;
    if (plan != NULL && is_network && torture_fails(CONNECT)) return -1;
    return real(fd, address, size);
}

int rename(const char *old, const char *new) {
    REAL(rename);
    if (is_below(old) && torture_fails(RENAME)) return -1;
    return real(old, new);
}

int unlink(const char *path) {
    REAL(unlink);
    if (is_below(path) && torture_fails(RENAME)) return -1;
    return real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    if (is_below(path) && torture_fails(RENAME)) return -1;
    return real(path, mode);
}

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (is_below(path) && torture_fails(OPEN)) return -1; \
        return real(path, flags, mode); \
    }

OPENS(open)
OPENS(open64)

/* Locks of ranges, as SQLite takes them. */
#define LOCKS(name) \
    int name(int fd, int command, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, command); \
        void *argument = va_arg(rest, void *); \
        va_end(rest); \
        if (command == F_SETLK && ((struct flock *)argument)->l_type != F_UNLCK && is_file(fd) && torture_fails(LOCK)) \
            return -1; \
        return real(fd, command, argument); \
    }

LOCKS(fcntl)
LOCKS(fcntl64)

pid_t fork(void) {
    REAL(fork);
    if (plan != NULL && torture_fails(FORK)) return -1;
    return real();
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static int is_refused(size_t size) {
    struct plan *now = plan;
    return now != NULL && size >= (size_t)now->least_bytes && torture_fails(ALLOCATE);
}

/* Memory that processes share; the C library maps its own by other ways. */
#define MAPS(name, offset) \
    void *name(void *near, size_t size, int protection, int flags, int fd, offset place) { \
        REAL(name); \
        return flags & MAP_SHARED && is_refused(size) ? MAP_FAILED : real(near, size, protection, flags, fd, place); \
    }

MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

void *malloc(size_t size) { return is_refused(size) ? NULL : __libc_malloc(size); }

void *realloc(void *old, size_t size) { return is_refused(size) ? NULL : __libc_realloc(old, size); }

void *calloc(size_t count, size_t size) { return is_refused(count * size) ? NULL : __libc_calloc(count, size); }
