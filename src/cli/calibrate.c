/* SPDX-License-Identifier: MIT */
/* The user's own measurements become a file that --calibration reads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/estimate/calibration.h"
#include "gpuplan/io/io.h"

struct inputs {
    struct calibration k;
    struct measurements *files;
    int file_count;
    const struct gpu *gpu;
    enum link_kind link;
    int gpus;
};

/* A path, or the name of one in the folder of calibrations. */
static bool read_calibration(struct cli *c, const char *name, struct err *err) {
    struct buf bytes = {0}, rest = {0};
    buf_printf(&rest, "calibration/%s.csv", name);
    char *kept = strchr(name, '/') ? NULL : io_xdg_path(IO_DATA, rest.data);
    bool own = access(name, F_OK) != 0 && kept && access(kept, F_OK) == 0;
    bool good = io_read(own ? kept : name, IO_MAX_SMALL, &bytes, err) &&
                calibration_read(bytes.data ? bytes.data : "", bytes.len, own ? kept : name, c->calibration, err);
    free(kept);
    buf_free(&rest);
    buf_free(&bytes);
    return good;
}

bool cli_need_calibration(struct cli *c) {
    const char *name = args_text(&c->args, OPTION_CALIBRATION, NULL);
    struct err err = {0};
    if (c->calibration)
        return true;
    c->calibration = mem_zero(1, sizeof *c->calibration);
    return !name || read_calibration(c, name, &err) || cli_fail(c, &err);
}

/* Rows of jobs have a header that names metric and value; everything else is taken for a log. */
static bool is_jobs(const struct buf *b) {
    char first[4096];
    size_t len = b->data ? strcspn(b->data, "\r\n") : 0;
    len = len < sizeof first - 1 ? len : sizeof first - 1;
    memcpy(first, b->data ? b->data : "", len);
    first[len] = '\0';
    return strstr(first, "metric") && strstr(first, "value") && strpbrk(first, ",;\t");
}

static bool read_one(struct cli *c, struct inputs *in, const char *path) {
    struct buf bytes = {0};
    struct err err = {0};
    struct nccl_log *log = mem_zero(1, sizeof *log);
    bool good = io_read(path, IO_MAX_SMALL, &bytes, &err);
    const char *text = bytes.data ? bytes.data : "";
    if (good && is_jobs(&bytes)) {
        struct measurements *m = &in->files[in->file_count];
        good = measurements_read(c->catalog, c->models, text, bytes.len, path, m, &err);
        in->file_count += good;
        for (int i = 0; good && i < m->warning_count; i++)
            cli_warn(c, "%s: %s", path, m->warnings[i]);
    } else if (good) {
        good = nccl_read(text, bytes.len, path, log, &err);
        char shown[80];
        text_clean(shown, sizeof shown, io_base_name(path), strlen(io_base_name(path)));
        if (good)
            calibration_take_log(&in->k, c->catalog, log, shown, in->gpu, in->link, in->gpus);
    }
    free(log);
    buf_free(&bytes);
    return good || cli_fail(c, &err);
}

static void take_jobs(struct cli *c, struct inputs *in) {
    size_t count = 0, n = 0;
    for (int i = 0; i < in->file_count; i++)
        count += in->files[i].count;
    const struct measurement **rows = mem_zero(count + 1, sizeof *rows);
    for (int i = 0; i < in->file_count; i++)
        for (size_t k = 0; k < in->files[i].count; k++)
            rows[n++] = &in->files[i].rows[k];
    if (n > 0)
        calibration_take_jobs(&in->k, c->catalog, rows, n, &c->assumptions);
    free(rows);
}

static void put_note(struct buf *b, const struct calibration_note *n) {
    switch (n->code) {
    case CALIBRATION_NODES:
        buf_printf(b, _("%s: several machines; networks are not fitted"), n->subject);
        break;
    case CALIBRATION_SMALL:
        buf_printf(b, _("%s: the largest useful message has %.3g MB; 32 are needed to see what a link reaches"),
                   n->subject, n->a);
        break;
    case CALIBRATION_NO_COUNT:
        buf_printf(b, _("%s: how many GPUs took part is not in it (--gpus N)"), n->subject);
        break;
    case CALIBRATION_NO_CARD:
        buf_printf(b, _("%s: which card it was is not in it (--gpu NAME)"), n->subject);
        break;
    case CALIBRATION_FAR_OFF:
        buf_printf(
            b,
            _("%s: %.2g times what was expected; that is another link, card or program than was said, and is not used"),
            n->subject, n->a);
        break;
    case CALIBRATION_SLOW_METRIC:
        buf_printf(b, _("%.0f rows of memory: only speeds are fitted"), n->a);
        break;
    case CALIBRATION_NO_EFFECT:
        buf_printf(b, _("%s: these jobs hardly depend on it, so it stays"), n->subject);
        break;
    case CALIBRATION_ROWS_SKIPPED:
        buf_printf(b, _("%.0f rows cannot be predicted (`gpuplan validate` says why)"), n->a);
        break;
    }
}

static void put_report(struct cli *c, const struct calibration *k, const char *path, struct buf *b) {
    static const char *const keys[] = {"what", "key", "was", "low", "expected", "high", "count"};
    const char *const headings[] = {_("what"), _("key"), _("was"), _("low"), _("now"), _("high"), _("measured")};
    static const char *const what[] = {N_("constant"), N_("ring, GB/s"), N_("all-reduce, GB/s")};
    struct grid *g = grid_new(keys, sizeof keys / sizeof *keys);
    grid_headings(g, headings);
    for (int i = 0; i < k->count; i++) {
        const struct calibration_row *r = &k->rows[i];
        grid_add(g, c->format == FORMAT_TABLE ? _(what[r->what]) : what[r->what]);
        grid_add(g, r->key);
        grid_add_number(g, r->was.expected, 4);
        grid_add_range(g, r->is);
        grid_add_number(g, r->count, 6);
    }
    grid_put(b, g, (enum grid_format)c->format, &c->style);
    grid_free(g);
    if (c->format != FORMAT_TABLE)
        return;
    buf_putc(b, '\n');
    if (k->jobs > 0)
        buf_printf(b, _("%d jobs: off by %.0f %% on average before, %.0f %% now.\n"), k->jobs,
                   (exp(k->error_before) - 1) * 100, (exp(k->error_after) - 1) * 100);
    buf_printf(b, _("Written to %s; use it with --calibration.\n"), path);
}

/* -o FILE, else the name of the first input in the folder of calibrations. The caller frees. */
static char *target(struct cli *c, struct err *err) {
    const char *given = args_text(&c->args, OPTION_OUTPUT, NULL);
    if (given)
        return mem_strdup(given);
    char *folder = io_xdg_path(IO_DATA, "calibration");
    if (!folder) {
        err_set(err, ERR_USAGE, "there is no home folder to keep it in; say where with -o FILE");
        return NULL;
    }
    struct buf b = {0};
    const char *base = io_base_name(c->args.words[0]);
    size_t stem = strcspn(base, ".");
    buf_printf(&b, "%s/%.*s.csv", folder, (int)stem, base);
    bool good = io_make_dirs(folder, err);
    free(folder);
    if (!good)
        buf_free(&b);
    return good ? b.data : NULL;
}

static int write_out(struct cli *c, const struct calibration *k) {
    struct err err = {0};
    struct buf file = {0}, report = {0};
    char *path = target(c, &err);
    int status = STATUS_DONE;
    calibration_put(&file, k);
    if (!path || !io_write_atomic(path, file.data, file.len, &err)) {
        cli_fail(c, &err);
        status = c->status;
    } else if (strcmp(path, "-") != 0) {
        put_report(c, k, path, &report);
        if (report.data && fwrite(report.data, 1, report.len, stdout) != report.len)
            status = STATUS_WRONG;
    }
    buf_free(&file);
    buf_free(&report);
    free(path);
    return status;
}

static int finish(struct cli *c, const struct calibration *k) {
    struct err err = {0};
    for (int i = 0; i < k->note_count; i++) {
        struct buf b = {0};
        put_note(&b, &k->notes[i]);
        cli_warn(c, "%s", b.data);
        buf_free(&b);
    }
    if (k->count > 0)
        return write_out(c, k);
    err_set(&err, ERR_DATA, "nothing in it that a constant could be fitted to");
    cli_fail(c, &err);
    return c->status;
}

static bool parse(struct cli *c, struct inputs *in) {
    const char *link = args_text(&c->args, OPTION_LINK, "unknown"), *gpu = args_text(&c->args, OPTION_GPU, NULL);
    double gpus;
    if (!cli_number(c, OPTION_GPUS, 0, 1, 1024, &gpus) || !cli_need_hardware(c) || !cli_need_models(c) ||
        !cli_need_assumptions(c))
        return false;
    in->gpus = (int)gpus;
    in->link = (enum link_kind)link_find(link);
    in->gpu = gpu ? cli_named_card(c, gpu) : NULL;
    return !gpu || (in->gpu && (in->link == LINK_UNKNOWN || cli_check_link(c, in->gpu, in->link, in->gpus)));
}

int cmd_calibrate(struct cli *c) {
    struct inputs *in = mem_zero(1, sizeof *in);
    in->files = mem_zero((size_t)c->args.word_count, sizeof *in->files);
    bool good = parse(c, in);
    for (int i = 0; good && i < c->args.word_count; i++)
        good = read_one(c, in, c->args.words[i]);
    int status = c->status;
    if (good) {
        take_jobs(c, in);
        status = finish(c, &in->k);
    }
    for (int i = 0; i < in->file_count; i++)
        measurements_free(&in->files[i]);
    free(in->files);
    free(in);
    return status;
}
