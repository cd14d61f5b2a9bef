/* Loaded with LD_PRELOAD into wfd: appends to $WIRE_TAP_FOLDER/PID what its accepted connections read and write.

   A record is a header and data. No descriptor stays open between two records, so that limits on descriptors hold as
   they do without the tap. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { RECEIVED, SENT, CLOSED, CUT };
enum { DESCRIPTORS = 65536, MOST = 8 << 20 };

struct header {
    uint32_t connection, kind, length;
};

static char path[4096];
static _Atomic uint32_t last;
/* The connection of each descriptor; 0 for others. */
static _Atomic uint32_t connections[DESCRIPTORS];
static _Atomic uint32_t recorded[DESCRIPTORS];

__attribute__((constructor)) static void begin(void) {
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *folder = getenv("WIRE_TAP_FOLDER");
    if (length <= 0 || folder == NULL) return;
    program[length] = 0;
    const char *name = strrchr(program, '/');
    if (name != NULL && strcmp(name, "/wfd") == 0) snprintf(path, sizeof path, "%s/%d", folder, getpid());
}

static void append(uint32_t connection, enum kind kind, const struct iovec *parts, int count, size_t length) {
    struct header header = {connection, kind, (uint32_t)length};
    struct iovec all[1025] = {{&header, sizeof header}};
    int used = 1;
    for (size_t left = length; used <= count && used < 1025 && left > 0; used++) {
        all[used] = parts[used - 1];
        if (all[used].iov_len > left) all[used].iov_len = left;
        left -= all[used].iov_len;
    }
    int log = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log < 0) return;
    syscall(SYS_writev, log, all, used);
    syscall(SYS_close, log);
}

static void record(int socket, enum kind kind, const struct iovec *parts, int count, ssize_t length) {
    if (length <= 0 || socket < 0 || socket >= DESCRIPTORS) return;
    uint32_t connection = connections[socket];
    if (connection == 0) return;
    if (atomic_fetch_add(&recorded[socket], (uint32_t)length) > MOST) {
        append(connection, CUT, NULL, 0, 0);
        connections[socket] = 0;
        return;
    }
    append(connection, kind, parts, count, (size_t)length);
}

static void one(int socket, enum kind kind, const void *bytes, ssize_t length) {
    struct iovec part = {(void *)bytes, length > 0 ? (size_t)length : 0};
    record(socket, kind, &part, 1, length);
}

/* The function of the C library that this file replaces. */
#define NEXT(name)                                                                                                     \
    ({                                                                                                                 \
        static _Atomic(void *) found;                                                                                  \
        if (found == NULL) found = dlsym(RTLD_NEXT, #name);                                                            \
        (__typeof__(&name))found;                                                                                      \
    })

static int accepted(int socket) {
    if (path[0] != 0 && socket >= 0 && socket < DESCRIPTORS) {
        recorded[socket] = 0;
        connections[socket] = ++last;
    }
    return socket;
}

int accept(int socket, struct sockaddr *address, socklen_t *length) {
    return accepted((int)syscall(SYS_accept, socket, address, length));
}

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags) {
    return accepted((int)syscall(SYS_accept4, socket, address, length, flags));
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) {
        uint32_t connection = atomic_exchange(&connections[descriptor], 0);
        if (connection != 0) append(connection, CLOSED, NULL, 0, 0);
    }
    return (NEXT(close))(descriptor);
}

ssize_t read(int descriptor, void *bytes, size_t length) {
    ssize_t done = (NEXT(read))(descriptor, bytes, length);
    one(descriptor, RECEIVED, bytes, done);
    return done;
}

ssize_t recv(int socket, void *bytes, size_t length, int flags) {
    ssize_t done = (NEXT(recv))(socket, bytes, length, flags);
    if (!(flags & MSG_PEEK)) one(socket, RECEIVED, bytes, done);
    return done;
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
    ssize_t done = (NEXT(recvmsg))(socket, message, flags);
    if (!(flags & MSG_PEEK)) record(socket, RECEIVED, message->msg_iov, (int)message->msg_iovlen, done);
    return done;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    ssize_t done = (NEXT(write))(descriptor, bytes, length);
    one(descriptor, SENT, bytes, done);
    return done;
}

ssize_t send(int socket, const void *bytes, size_t length, int flags) {
    ssize_t done = (NEXT(send))(socket, bytes, length, flags);
    one(socket, SENT, bytes, done);
    return done;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    ssize_t done = (NEXT(writev))(descriptor, parts, count);
    record(descriptor, SENT, parts, count, done);
    return done;
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    ssize_t done = (NEXT(sendmsg))(socket, message, flags);
    record(socket, SENT, message->msg_iov, (int)message->msg_iovlen, done);
    return done;
}

/* The bytes of the file are not looked at. */
ssize_t sendfile(int socket, int file, off_t *offset, size_t length) {
    ssize_t done = (NEXT(sendfile))(socket, file, offset, length);
    if (done > 0 && socket >= 0 && socket < DESCRIPTORS && connections[socket] != 0) {
        append(connections[socket], CUT, NULL, 0, 0);
        connections[socket] = 0;
    }
    return done;
}
