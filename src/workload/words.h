/* SPDX-License-Identifier: MIT */
/* Words of the enums in job.h: NULL-terminated, index = enum value unless said otherwise. */
#ifndef GPUPLAN_SRC_WORKLOAD_WORDS_H
#define GPUPLAN_SRC_WORKLOAD_WORDS_H

extern const char *const words_task[],
    *const words_stage[], *const words_batch_rule[],
                              *const words_precision[], *const words_optimizer[],
                                                            *const words_recompute[],
                                                                *const words_loss[],
                                                                    *const words_lora_targets[],
                                                                        *const words_offload[],
                                                                            *const words_grad_sync[],
                                                                                *const words_attention[],
                                                                                    *const words_stack[],
                                                                                        *const words_batching[],
                                                                                            *const words_scaling[],
                                                                                                *const words_strategy[],
                                                                                                    *const words_spot[];

/* names of enum weight_format: all of them (index = enum value), those of frozen weights, those of a KV cache */
extern const char *const words_weights[], *const words_base[], *const words_kv[];

/* Index of a word (ASCII case-insensitive; other spellings of formats and yes/no choices are known); -1. */
int words_find(const char *const *words, const char *word);

#endif
