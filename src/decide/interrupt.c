/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "place.h"

/* J. T. Daly, Future Generation Computer Systems 22 (2006), eq. 37; Young's sqrt(2 C M) is its first term. */
double interruption_interval(double save_h, double mtbf_h) {
    if (!(save_h < 2 * mtbf_h))
        return mtbf_h;
    double ratio = save_h / (2 * mtbf_h);
    return sqrt(2 * save_h * mtbf_h) * (1 + sqrt(ratio) / 3 + ratio / 9) - save_h;
}

struct interruption interruption_expect(double run_h, double save_h, double interval_h, double mtbf_h, int nodes,
                                        double restart_h, double reload_h, double viable_share) {
    double m = mtbf_h / nodes;
    double tau = num_known(interval_h) ? interval_h : interruption_interval(save_h, m);
    /* A run shorter than the interval loses half of itself, not half of the interval, and saves nothing. */
    double at_risk = fmin(tau, run_h);
    double saving = tau < run_h ? save_h / tau : 0;
    double again = at_risk / 2 + reload_h;
    struct interruption out = {.checkpoint_h = tau};
    out.lost_h = run_h * (saving + again / m);
    out.wait_h = run_h * fmax(restart_h - reload_h, 0) / m;
    out.viable = at_risk / 2 + save_h + fmax(restart_h, reload_h) <= viable_share * m;
    return out;
}
