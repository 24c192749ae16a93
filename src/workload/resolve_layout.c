/* SPDX-License-Identifier: MIT */
/* Pins that cannot hold at the same time, whatever the machine. What a machine allows is looked at in estimate/. */
#include "workload/resolve.h"

/* ZeRO stage that a strategy means; -1 = open. */
static const int zero_of[STRATEGY_COUNT] = {
    [STRATEGY_AUTO] = -1,     [STRATEGY_SINGLE] = 0,    [STRATEGY_DDP] = 0,          [STRATEGY_ZERO1] = 1,
    [STRATEGY_ZERO2] = 2,     [STRATEGY_ZERO3] = 3,     [STRATEGY_FSDP] = 3,         [STRATEGY_HSDP] = 3,
    [STRATEGY_MEGATRON] = -1, [STRATEGY_REPLICAS] = -1, [STRATEGY_LAYER_SPLIT] = -1,
};

static bool check_strategy(struct resolve *r) {
    const struct job *j = r->j;
    static const enum field_id axes[] = {FIELD_TP, FIELD_PP, FIELD_DP, FIELD_CP, FIELD_EP};
    const int pins[] = {j->tp, j->pp, j->dp, j->cp, j->ep};
    for (size_t i = 0; j->strategy == STRATEGY_SINGLE && i < sizeof pins / sizeof pins[0]; i++)
        if (pins[i] > 1)
            return resolve_refuse(r, axes[i], "%d GPUs contradict strategy=single", pins[i]);
    int zero = zero_of[j->strategy];
    if (zero >= 0 && j->zero >= 0 && j->zero != zero)
        return resolve_refuse(r, FIELD_ZERO, "%d contradicts strategy=%s, which is stage %d", j->zero,
                              strategy_name(j->strategy), zero);
    return true;
}

static double at_least_one(int pin) {
    return pin > 0 ? pin : 1;
}

static bool check_count(struct resolve *r) {
    const struct job *j = r->j;
    double gpus = at_least_one(j->tp) * at_least_one(j->pp) * at_least_one(j->dp) * at_least_one(j->cp);
    if (j->max_gpus > 0 && gpus > j->max_gpus)
        return resolve_refuse(r, FIELD_MAX_GPUS, "%d is less than tp x pp x dp x cp, %.0f", j->max_gpus, gpus);
    if (j->gpus_per_node > 0 && j->max_gpus > 0 && j->gpus_per_node > j->max_gpus)
        return resolve_refuse(r, FIELD_MAX_GPUS, "%d is less than gpus_per_node, %d", j->max_gpus, j->gpus_per_node);
    return true;
}

static bool check_model(struct resolve *r) {
    const struct job *j = r->j;
    if (j->task == TASK_MEASURED)
        return true;
    if (j->tp > 1 && j->model.heads % j->tp != 0)
        return resolve_refuse(r, FIELD_TP, "%d does not divide the %d attention heads of %s", j->tp, j->model.heads,
                              j->model.name);
    if (j->pp > j->model.layers)
        return resolve_refuse(r, FIELD_PP, "%d is more than the %d layers of %s", j->pp, j->model.layers,
                              j->model.name);
    if (j->ep > 1 && (j->model.experts == 0 || j->model.experts % j->ep != 0))
        return resolve_refuse(r, FIELD_EP, "%d does not divide the %d experts of %s", j->ep, j->model.experts,
                              j->model.name);
    return true;
}

bool resolve_layout(struct resolve *r) {
    if (r->j->stage == STAGE_ITERATE && !is_set(r, FIELD_MAX_GPUS)) {
        r->j->max_gpus = 1;
        r->why[FIELD_MAX_GPUS] = "stage=iterate";
    }
    return check_strategy(r) && check_count(r) && check_model(r);
}
