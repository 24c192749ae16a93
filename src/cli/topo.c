/* SPDX-License-Identifier: MIT */
/* A machine that was looked at: its matrix read, judged, and weighed against the listed offer. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/io/io.h"
#include "gpuplan/report/topology.h"

static bool read_topology(struct cli *c, struct topology *t) {
    const char *path = c->args.word_count > 0 ? c->args.words[0] : "-";
    struct buf bytes = {0};
    struct err err = {0};
    if (c->args.word_count == 0 && isatty(STDIN_FILENO))
        cli_warn(c, "%s", _("paste the output of `nvidia-smi topo -m`, then Ctrl-D"));
    bool good = io_read(path, IO_MAX_SMALL, &bytes, &err) &&
                topology_read(bytes.data ? bytes.data : "", bytes.len, path, t, &err);
    buf_free(&bytes);
    return good || cli_fail(c, &err);
}

/* The offer of --pick; else the best ranked one with this card. */
static bool find_offer(struct cli *c, const struct topology *t, const struct topology_verdict *v,
                       const struct offer **out) {
    const char *pick = args_text(&c->args, OPTION_PICK, NULL);
    *out = NULL;
    if (pick)
        *out = offers_find(c->offers, cli_pick_id(c, pick));
    else if (v->gpu && !v->gpu_open)
        *out = seen_reference(c->ranking, catalog_gpu_index(c->catalog, v->gpu), t->gpus);
    return *out || !pick || cli_fail_pick(c, pick);
}

static void put(struct cli *c, const struct topology *t, const struct topology_verdict *v, const struct seen *s,
                struct buf *b) {
    if (c->format == FORMAT_JSON)
        topology_json(b, &c->question, t, v, s);
    else if (c->format == FORMAT_MD)
        topology_markdown(b, &c->question, t, v, s);
    else
        topology_text(b, &c->question, t, v, s, &c->style);
}

static int answer(struct cli *c, const struct topology *t, const char *gpu) {
    struct topology_verdict v;
    const struct offer *offer;
    topology_judge(t, c->catalog, gpu, &v);
    if (!cli_need_ranking(c) || !find_offer(c, t, &v, &offer))
        return c->status;
    struct seen *s = offer ? mem_zero(1, sizeof *s) : NULL;
    struct buf b = {0};
    if (s)
        seen_weigh(c->ranking, t, gpu, offer, s);
    put(c, t, &v, s, &b);
    int status = cli_write(c, &b, STATUS_DONE);
    buf_free(&b);
    free(s);
    return status;
}

int cmd_topo(struct cli *c) {
    struct err err = {0};
    const char *name = args_text(&c->args, OPTION_GPU, NULL), *gpu = NULL;
    if (c->format == FORMAT_CSV) {
        err_set(&err, ERR_USAGE, "--format: a topology is no table for csv; allowed are table, json, md");
        cli_fail(c, &err);
        return c->status;
    }
    if (!cli_need_hardware(c))
        return c->status;
    if (name) {
        const struct gpu *card = cli_named_card(c, name);
        if (!card)
            return c->status;
        gpu = card->name;
    }
    struct topology *t = mem_zero(1, sizeof *t);
    int status = read_topology(c, t) ? answer(c, t, gpu) : c->status;
    free(t);
    return status;
}
