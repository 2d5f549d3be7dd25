/* Stops a process, or fails it, at its N-th change of the disk.
 *
 * Loaded with LD_PRELOAD, so that the writes of Python, SQLite and tantivy are all counted.
 * Writes to the standard streams do not count.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

enum { COUNT, KILL, TEAR, FULL };

static atomic_long count;
static atomic_long at;
static atomic_int mode;

void torture_arm(long number, int how) {
    atomic_store(&count, 0);
    atomic_store(&at, number);
    atomic_store(&mode, how);
}

long torture_count(void) { return atomic_load(&count); }

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Whether the change may happen; half of what is written happens where it is torn. */
static int allowed(int writes, int *torn) {
    long number = atomic_fetch_add(&count, 1) + 1;
    int how = atomic_load(&mode);
    if (how == FULL && writes && number >= atomic_load(&at)) {
        errno = ENOSPC;
        return 0;
    }
    if (number != atomic_load(&at))
        return 1;
    if (how == TEAR && writes)
        *torn = 1;
    else if (how == KILL || how == TEAR)
        die();
    return 1;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write)
    int torn = 0;
    if (fd > 2 && !allowed(1, &torn)) return -1;
    if (!torn) return real(fd, data, size);
    real(fd, data, size / 2);
    die();
    return -1;
}

#define PWRITE(name, offset_type) \
    ssize_t name(int fd, const void *data, size_t size, offset_type offset) { \
        REAL(name) \
        int torn = 0; \
        if (!allowed(1, &torn)) return -1; \
        if (!torn) return real(fd, data, size, offset); \
        real(fd, data, size / 2, offset); \
        die(); \
        return -1; \
    }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define CHANGE(type, name, parameters, arguments) \
    type name parameters { \
        REAL(name) \
        int torn = 0; \
        if (!allowed(0, &torn)) return -1; \
        return real arguments; \
    }

CHANGE(int, fsync, (int fd), (fd))
CHANGE(int, fdatasync, (int fd), (fd))
CHANGE(int, ftruncate, (int fd, off_t size), (fd, size))
CHANGE(int, ftruncate64, (int fd, off64_t size), (fd, size))
CHANGE(int, rename, (const char *from, const char *to), (from, to))
CHANGE(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
CHANGE(int, link, (const char *from, const char *to), (from, to))
CHANGE(int, unlink, (const char *path), (path))
CHANGE(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
CHANGE(int, rmdir, (const char *path), (path))
