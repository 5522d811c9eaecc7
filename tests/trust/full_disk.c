/* Stands before the C library's calls that want room on a disk, and refuses them from a certain one on.

   It sleeps until room_ends_at() is called. From then on each call that makes or lengthens something below the folder
   is counted. The n-th finds the disk full: a write still puts half of its bytes there, as a disk does that has room
   for so many; it and all that follow fail with the error that was given. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static size_t folder_length;
static long last = -1; /* the call at which room ends, counted from 1; -1 for never */
static int refusal;
static atomic_long count;

void room_ends_at(const char *root, long nth, int error) {
    snprintf(folder, sizeof folder, "%s/", root);
    folder_length = strlen(folder);
    last = nth;
    refusal = error;
    atomic_store(&count, 0);
}

long calls_that_want_room(void) { return atomic_load(&count); }

static int below_folder(const char *path) {
    char whole[PATH_MAX];
    if (!folder_length || !path)
        return 0;
    if (path[0] != '/') {
        size_t used;
        if (!getcwd(whole, sizeof whole))
            return 0;
        used = strlen(whole);
        snprintf(whole + used, sizeof whole - used, "/%s", path);
        path = whole;
    }
    return strncmp(path, folder, folder_length) == 0;
}

static int held_below_folder(int fd) {
    char link[64], path[PATH_MAX];
    ssize_t length;
    if (!folder_length)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return 0;
    path[length] = 0;
    return strncmp(path, folder, folder_length) == 0;
}

/* 0: there is room; 1: this call finds the end of it; 2: there is none any more */
static int wanted(void) {
    long n = atomic_fetch_add(&count, 1) + 1;
    return last < 0 || n < last ? 0 : n == last ? 1 : 2;
}

static int refused(void) {
    errno = refusal;
    return -1;
}

#define REAL(type, name, ...)                       \
    static type (*real)(__VA_ARGS__);               \
    if (!real)                                      \
        real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define WRITES(name, off_type, PARAMETERS, ARGUMENTS)                    \
    ssize_t name PARAMETERS {                                            \
        REAL(ssize_t, name, int, const void *, size_t off_type);         \
        if (held_below_folder(fd)) {                                     \
            int state = wanted();                                        \
            if (state == 2 || (state == 1 && size < 2))                  \
                return refused();                                        \
            if (state == 1)                                              \
                size /= 2;                                               \
        }                                                                \
        return real ARGUMENTS;                                           \
    }

#define COMMA ,
WRITES(write, , (int fd, const void *bytes, size_t size), (fd, bytes, size))
WRITES(pwrite, COMMA off_t, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
WRITES(pwrite64, COMMA off64_t, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at))

ssize_t writev(int fd, const struct iovec *pieces, int n) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    return held_below_folder(fd) && wanted() ? refused() : real(fd, pieces, n);
}

size_t fwrite(const void *items, size_t size, size_t n, FILE *stream) {
    REAL(size_t, fwrite, const void *, size_t, size_t, FILE *);
    if (held_below_folder(fileno(stream)) && wanted()) {
        errno = refusal;
        return 0;
    }
    return real(items, size, n, stream);
}

#define OF_FILE(name, type, PARAMETERS, ARGUMENTS, ...)                       \
    type name PARAMETERS {                                                    \
        REAL(type, name, __VA_ARGS__);                                        \
        return held_below_folder(fd) && wanted() ? refused() : real ARGUMENTS; \
    }

OF_FILE(ftruncate, int, (int fd, off_t size), (fd, size), int, off_t)
OF_FILE(ftruncate64, int, (int fd, off64_t size), (fd, size), int, off64_t)
OF_FILE(fsync, int, (int fd), (fd), int)
OF_FILE(fdatasync, int, (int fd), (fd), int)
OF_FILE(fallocate, int, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size), int, int, off_t, off_t)
OF_FILE(fallocate64, int, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size), int, int, off64_t, off64_t)

int posix_fallocate(int fd, off_t at, off_t size) {
    REAL(int, posix_fallocate, int, off_t, off_t);
    return held_below_folder(fd) && wanted() ? refusal : real(fd, at, size);
}

int posix_fallocate64(int fd, off64_t at, off64_t size) {
    REAL(int, posix_fallocate64, int, off64_t, off64_t);
    return held_below_folder(fd) && wanted() ? refusal : real(fd, at, size);
}

#define OF_NAME(name, PATH, PARAMETERS, ARGUMENTS, ...)                     \
    int name PARAMETERS {                                                   \
        REAL(int, name, __VA_ARGS__);                                       \
        return below_folder(PATH) && wanted() ? refused() : real ARGUMENTS; \
    }

OF_NAME(mkdir, path, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
OF_NAME(mkdirat, path, (int at, const char *path, mode_t mode), (at, path, mode), int, const char *, mode_t)
OF_NAME(rename, to, (const char *from, const char *to), (from, to), const char *, const char *)
OF_NAME(link, to, (const char *from, const char *to), (from, to), const char *, const char *)
OF_NAME(linkat, to, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags), int,
        const char *, int, const char *, int)

/* A file that is there already is opened without new room. */
static int makes(const char *path, int flags) {
    return (flags & O_CREAT) && below_folder(path) && access(path, F_OK) != 0;
}

#define OPENS(name, PARAMETERS, ARGUMENTS, ...)                        \
    int name PARAMETERS {                                              \
        mode_t mode = 0;                                               \
        REAL(int, name, __VA_ARGS__, mode_t);                          \
        if (flags & (O_CREAT | __O_TMPFILE)) {                         \
            va_list rest;                                              \
            va_start(rest, flags);                                     \
            mode = va_arg(rest, mode_t);                               \
            va_end(rest);                                              \
        }                                                              \
        return makes(path, flags) && wanted() ? refused() : real ARGUMENTS; \
    }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode), const char *, int)
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode), const char *, int)
OPENS(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), int, const char *, int)
OPENS(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), int, const char *, int)
