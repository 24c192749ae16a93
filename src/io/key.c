/* SPDX-License-Identifier: MIT */
/* Keys: from the environment or a private file, and nowhere else; never printed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/endpoint.h"

enum { MAX_FILE = 1 << 16 };

void io_key_forget(struct io_key *k) {
    explicit_bzero(k, sizeof *k);
}

/* What may stand in a header: a line end would start another one. */
static bool take_value(const char *value, size_t len, const char *name, char out[KEY_BYTES], struct err *err) {
    text_trim(&value, &len);
    bool fine = len > 0 && len < KEY_BYTES;
    for (size_t i = 0; i < len && fine; i++)
        fine = value[i] > ' ' && value[i] <= '~';
    if (!fine)
        return err_set(err, ERR_USAGE, "the key in %s is empty or has characters that no key has", name);
    memcpy(out, value, len);
    out[len] = '\0';
    return true;
}

static bool check_file(int fd, const char *path, struct err *err) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return io_fail(err, path, "read");
    if (!S_ISREG(st.st_mode) || st.st_size > MAX_FILE)
        err_set(err, ERR_USAGE, "not a file of keys");
    else if (st.st_uid != geteuid())
        err_set(err, ERR_USAGE, "belongs to somebody else, so its keys are not used");
    else if (st.st_mode & 077)
        err_set(err, ERR_USAGE, "others may read or write it (mode %04o), so its keys are not used; chmod 600 it",
                (unsigned)st.st_mode & 07777);
    else
        return true;
    return err_at(err, path, 0, 0, NULL);
}

/* All of the file; NULL: there is none (no error) or it is refused (err). */
static char *read_file(const char *path, size_t *len, struct err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            io_fail(err, path, "open");
        return NULL;
    }
    char *text = NULL;
    if (check_file(fd, path, err)) {
        text = mem_zero(MAX_FILE + 1, 1);
        *len = 0;
        for (ssize_t n; *len < MAX_FILE && (n = read(fd, text + *len, MAX_FILE - *len)) != 0;) {
            if (n < 0 && errno != EINTR)
                break;
            *len += n > 0 ? (size_t)n : 0;
        }
    }
    close(fd);
    return text;
}

/* The value of a line NAME=VALUE. */
static const char *find_line(const char *text, const char *name, size_t *len) {
    size_t name_len = strlen(name);
    for (const char *line = text; *line;) {
        size_t line_len = strcspn(line, "\n"), part_len = strcspn(line, "=\n");
        const char *part = line;
        if (line[part_len] == '=') {
            const char *value = line + part_len + 1;
            *len = line_len - part_len - 1;
            text_trim(&part, &part_len);
            if (part_len == name_len && strncmp(part, name, name_len) == 0)
                return value;
        }
        line += line_len + (line[line_len] == '\n');
    }
    return NULL;
}

static enum io_key_state find_value(const char *name, const char *file, char out[KEY_BYTES], struct err *err) {
    size_t len = 0;
    const char *value = getenv(name);
    if (value && *value)
        return take_value(value, strlen(value), name, out, err) ? IO_KEY_FOUND : IO_KEY_REFUSED;
    value = file ? find_line(file, name, &len) : NULL;
    if (!value)
        return IO_KEY_ABSENT;
    return take_value(value, len, name, out, err) ? IO_KEY_FOUND : IO_KEY_REFUSED;
}

enum io_key_state io_key_find(const struct endpoint *e, struct io_key *out, struct err *err) {
    struct err why = {0};
    size_t len = 0;
    memset(out, 0, sizeof *out);
    if (e->auth == AUTH_NONE || !*e->key_env)
        return IO_KEY_ABSENT;
    char *path = io_xdg_path(IO_CONFIG, "keys"), *file = path ? read_file(path, &len, &why) : NULL;
    char names[160];
    text_clean(names, sizeof names, e->key_env, strlen(e->key_env));
    char *second = strchr(names, ' ');
    if (second)
        *second++ = '\0';
    enum io_key_state state = find_value(names, file, out->first, err);
    if (state == IO_KEY_FOUND && second)
        state = find_value(second, file, out->second, err);
    if (state == IO_KEY_ABSENT && why.code != ERR_NONE) { /* the key may well stand in the file that is refused */
        if (err)
            *err = why;
        state = IO_KEY_REFUSED;
    }
    if (state != IO_KEY_FOUND)
        io_key_forget(out);
    if (file)
        explicit_bzero(file, len);
    free(file);
    free(path);
    return state;
}
