/* SPDX-License-Identifier: MIT */
#include "gpuplan/report/serving.h"

#include <math.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/report/sentence.h"

static double longest_of(const struct job *j, const struct estimate *e) {
    return j->task == TASK_INFERENCE ? e->max_len : e->max_seq_len;
}

struct length_boundary length_boundary(const struct job *j, const struct estimate *e) {
    const double shortest = 512, half_way = 1.5;
    double longest = longest_of(j, e), most = j->model.max_positions;
    struct length_boundary r = {0, shortest};

    if (longest < shortest) {
        return r;
    }
    r.fits_to = exp2(floor(log2(longest)));
    r.fails_at = r.fits_to * half_way;
    if (longest >= r.fails_at) {
        r.fits_to = r.fails_at;
        r.fails_at = exp2(floor(log2(longest)) + 1);
    }
    if (j->task == TASK_INFERENCE && most > 0 && longest >= most) {
        r = (struct length_boundary){most, NUM_UNKNOWN};
    }
    return r;
}

/* "24k"; lengths that are no whole k stay as they are. */
static void put_length(struct buf *b, double tokens) {
    const double k = 1024;

    if (tokens >= k && fmod(tokens, k / 2) < 0.5) {
        buf_printf(b, "%gk", tokens / k);
    } else {
        sentence_count(b, (size_t)tokens);
    }
}

void sentence_boundary(struct buf *b, const struct job *j, const struct estimate *e) {
    struct length_boundary r = length_boundary(j, e);
    struct buf fits = {0}, fails = {0}, exact = {0};

    if (!(longest_of(j, e) > 0)) {
        return;
    }
    put_length(&fits, r.fits_to);
    put_length(&fails, r.fails_at);
    sentence_count(&exact, (size_t)longest_of(j, e));
    if (!num_known(r.fails_at)) {
        buf_printf(b, _("fits to %s, the longest that the model knows"), fits.data);
    } else if (r.fits_to > 0) {
        buf_printf(b, _("fits to %s, fails at %s (%s tokens)"), fits.data, fails.data, exact.data);
    } else {
        buf_printf(b, _("fails at %s already (%s tokens)"), fails.data, exact.data);
    }
    buf_free(&fits);
    buf_free(&fails);
    buf_free(&exact);
}

void sentence_concurrency(struct buf *b, const struct job *j, const struct estimate *e) {
    struct buf count = {0}, tokens = {0};

    if (j->task != TASK_INFERENCE || !(e->max_concurrency > 0)) {
        return;
    }
    sentence_count(&count, (size_t)e->max_concurrency);
    sentence_count(&tokens, (size_t)(j->input_len + j->output_len));
    buf_printf(b,
               ngettext("%s request of %s tokens; the next one waits", "%s requests of %s tokens; the next one waits",
                        (unsigned long)e->max_concurrency),
               count.data, tokens.data);
    buf_free(&count);
    buf_free(&tokens);
}

void sentence_percentile(struct buf *b, const struct job *j, const struct estimate *e) {
    char first[32], each[32], all[32];

    if (!job_is_serving(j) || !num_known(e->itl_slo_ms) || !num_known(e->ttft_slo_ms)) {
        return;
    }
    num_format(first, sizeof first, e->ttft_slo_ms, NUM_MILLISECONDS);
    num_format(each, sizeof each, e->itl_slo_ms, NUM_MILLISECONDS);
    num_format(all, sizeof all, e->e2e_slo_ms / 1e3, NUM_SECONDS);
    buf_printf(b, _("first token %s, then %s each, %s in all%s"), first, each, all,
               e->overloaded ? _("; OVERLOADED: for what it does carry") : "");
}

void sentence_copies(struct buf *b, const struct job *j, const struct estimate *e) {
    if (!job_is_serving(j)) {
        return;
    }
    if (num_known(e->replicas_needed)) {
        buf_printf(b, _("%g for the whole load; this layout has %d"), e->replicas_needed, e->layout.replicas);
    } else if (!e->targets_met) {
        buf_puts(b, _("no number of them keeps the targets"));
    }
}

void sentence_arithmetic(struct buf *b, const struct job *j, const struct gpu *g) {
    const char *stored = weight_format_name(j->weights), *computed = estimate_arithmetic(j, g);

    if (computed == NULL) {
        return;
    }
    if (j->weights == WEIGHTS_FP8 && computed == estimate_arithmetic_16bit) {
        buf_printf(b, _("%s, computed in 16 bit (w8a16): half the bytes, no faster arithmetic"), stored);
    } else if (j->weights == WEIGHTS_FP4 && computed == estimate_arithmetic_16bit) {
        buf_printf(b, _("%s, computed in 16 bit (w4a16): a quarter of the bytes, no faster arithmetic"), stored);
    } else {
        buf_printf(b, _("%s, computed in %s"), stored, computed);
    }
}

struct range usd_per_1k_requests(const struct job *j, const struct cost *c) {
    const double requests = 1e3, million = 1e6;
    struct range r = c->usd_per_mtok;

    if (j->task != TASK_INFERENCE || !(j->output_len > 0)) {
        r.expected = NUM_UNKNOWN;
    }
    return num_known(r.expected) ? range_scale(r, j->output_len * requests / million) : range_exact(NUM_UNKNOWN);
}

double usd_per_month(const struct job *j, const struct cost *c) {
    const double month_h = 730;

    return job_is_serving(j) && c->time_h.expected > 0 ? c->usd.expected / c->time_h.expected * month_h : NUM_UNKNOWN;
}
