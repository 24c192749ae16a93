/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/io.h"
#include "gpuplan/view/view.h"
#include "ui/ui.h"

enum { LINE_MAX_BYTES = 1024 };

struct script {
    struct app *app;
    struct canvas canvas;
    const char *name;
    long line;
    struct err *err;
};

static bool wrong(struct script *s, const char *what, const char *word) {
    char clean[80];
    text_clean(clean, sizeof clean, word, strlen(word));
    err_set(s->err, ERR_USAGE, "%s: %s", what, clean);
    return err_at(s->err, s->name, s->line, 0, NULL);
}

enum { POLL_MAX = 256 };

static void settle(struct script *s) {
    while (app_work(s->app, 1000)) {
    }
    while (app_waits(s->app)) {
        struct pollfd fds[POLL_MAX];
        poll(fds, (nfds_t)app_poll_fds(s->app, fds, POLL_MAX), app_poll_timeout_ms(s->app));
        app_poll_ready(s->app);
        while (app_work(s->app, 1000)) {
        }
    }
    app_viewport(s->app, view_draw(s->app, &s->canvas));
    app_drawn(s->app);
    app_request(s->app);
}

static bool do_size(struct script *s, const char *rest) {
    int columns, rows;
    if (sscanf(rest, "%dx%d", &columns, &rows) != 2 || columns < 1 || rows < 1 || columns > 1000 || rows > 1000) {
        return wrong(s, "a size is COLUMNSxROWS, each from 1 to 1000", rest);
    }
    canvas_resize(&s->canvas, columns, rows);
    app_resize(s->app, columns, rows);
    return true;
}

static bool do_key(struct script *s, const char *rest) {
    int key = key_find(rest);
    if (key < 0) {
        return wrong(s, "no key has this name", rest);
    }
    app_key(s->app, key);
    return true;
}

static bool do_type(struct script *s, const char *rest) {
    uint32_t code_point;
    for (int n; *rest && (n = text_decode(rest, &code_point)) > 0; rest += n) {
        app_key(s->app, (int)code_point);
    }
    return true;
}

static bool do_action(struct script *s, const char *rest) {
    return app_run_action(s->app, rest) || wrong(s, "no such action here (`gpuplan list actions`)", rest);
}

static bool do_click(struct script *s, const char *rest) {
    int row, column;
    const struct cell *cell = sscanf(rest, "%d %d", &row, &column) == 2 ? canvas_at(&s->canvas, row, column) : NULL;
    if (!cell) {
        return wrong(s, "a click is ROW COLUMN, from 0 and on the screen", rest);
    }
    app_mouse(s->app, APP_CLICK, cell->tag);
    return true;
}

static bool write_out(struct script *s, const char *file, void (*form)(const struct canvas *, struct buf *)) {
    struct buf b = {0};
    form(&s->canvas, &b);
    bool done = true;
    if (strcmp(file, "-") == 0) {
        fwrite(b.data, 1, b.len, stdout);
    } else {
        done = io_write_atomic(file, b.data, b.len, s->err);
    }
    buf_free(&b);
    return done;
}

static bool do_save(struct script *s, const char *rest) {
    return write_out(s, rest, canvas_to_text);
}

static bool do_roles(struct script *s, const char *rest) {
    return write_out(s, rest, canvas_to_roles);
}

static const struct {
    const char *word;
    bool (*run)(struct script *s, const char *rest);
} commands[] = {
    {"size", do_size},   {"key", do_key},   {"type", do_type},   {"action", do_action},
    {"click", do_click}, {"save", do_save}, {"roles", do_roles},
};

static bool run_line(struct script *s, char *line) {
    char *rest = line + strcspn(line, " ");
    if (*rest) {
        *rest++ = '\0';
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(line, commands[i].word) == 0) {
            if (!commands[i].run(s, rest)) {
                return false;
            }
            settle(s);
            return true;
        }
    }
    return wrong(s, "a line begins with size, key, type, action, click, save or roles", line);
}

bool ui_script(struct app *a, const char *bytes, size_t len, const char *name, bool ascii, struct err *err) {
    struct script s = {.app = a, .name = name, .err = err};
    int status;
    canvas_init(&s.canvas);
    s.canvas.ascii = ascii;
    bool fine = do_size(&s, "80x24");
    settle(&s);
    for (const char *at = bytes, *end = bytes + len; fine && at < end && !app_done(a, &status);) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        const char *from = at;
        size_t size = (size_t)(stop - at);
        char line[LINE_MAX_BYTES];
        s.line++;
        text_trim(&from, &size);
        if (size >= sizeof line) {
            fine = wrong(&s, "a line of a script has at most 1023 bytes", "");
        } else if (size > 0 && *from != '#') {
            memcpy(line, from, size);
            line[size] = '\0';
            fine = run_line(&s, line);
        }
        at = stop + 1;
    }
    canvas_free(&s.canvas);
    return fine;
}
