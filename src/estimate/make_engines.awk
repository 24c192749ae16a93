# SPDX-License-Identifier: MIT
# data/engines.csv -> C. mode=assume: one ASSUME() row per calibrated constant of an engine; mode=table: the facts, one row an engine.
# A cell holds no comma: every record must have as many cells as the header.
BEGIN {
    FS = ","
    count = split("layer_us step_ms sequence_us attention compute bandwidth sm_bytes", constant, " ")
    split("us ms us 1 1 1 byte/cycle", unit, " ")
    print "/* Made from data/engines.csv by src/estimate/make_engines.awk. */"
}

function id(word) {
    word = toupper(word)
    gsub(/[^A-Z0-9]/, "_", word)
    return word
}

function cell(name) {
    if (!(name in column)) {
        printf "engines.csv: no column %s\n", name > "/dev/stderr"
        exit 1
    }
    return $(column[name])
}

function flags(name, prefix, number, word, i, out) {
    number = split(cell(name), word, " ")
    out = number ? "" : "0"
    for (i = 1; i <= number; i++)
        out = out (i > 1 ? " | " : "") (word[i] == "any" ? "~0u" : prefix id(word[i]))
    return out
}

{ sub(/\r$/, "") }
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; width = NF; next }
NF != width {
    printf "engines.csv:%d: %d cells, %d wanted\n", NR, NF, width > "/dev/stderr"
    exit 1
}

mode == "assume" {
    spread = cell("spread")
    for (i = 1; i <= count; i++) {
        x = cell(constant[i])
        printf "ASSUME(ENGINE_%s_%s, \"engine.%s.%s\", %.6g, %.6g, %.6g, \"%s\", \"%s\")\n", id(cell("key")), id(constant[i]),
            cell("key"), constant[i], x * (1 - spread), x, x * (1 + spread), unit[i], cell("source")
    }
}

mode == "table" {
    printf "{.key = \"%s\", .name = \"%s\", .year_from = %d, .year_to = %d, .constants = ASSUME_ENGINE_%s_LAYER_US,\n",
        cell("key"), cell("engine"), cell("year_from"), cell("year_to"), id(cell("key"))
    printf " .cap = %d, .cap_large = %d, .chunk = %d, .output_reserve = %s, .pool = ENGINE_POOL_%s, .pool_share = %s,\n",
        cell("cap"), cell("cap_large"), cell("chunk"), cell("output_reserve"), id(cell("pool")), cell("pool_share")
    printf " .fixed_bytes = %s * NUM_GB, .fixed_tp_bytes = %s * NUM_GB, .unfused = %d, .accumulate_fp16 = %d,\n",
        cell("fixed_gb"), cell("fixed_tp_gb"), cell("unfused"), cell("accumulate") == "fp16"
    printf " .first_token_s = %s * 1e-3, .min_cc = %s, .fp8_weight_only_cc = %s, .fp4_weight_only_cc = %s, .hbm_compute = %s,\n",
        cell("first_token_ms"), cell("min_cc"), cell("fp8_weight_only_cc"), cell("fp4_weight_only_cc"), cell("hbm_compute")
    printf " .int4 = {%s, %s}, .int8 = {%s, %s}, .int4_group = %d,\n", cell("int4_bytes"), cell("int4_head_bytes"), cell("int8_bytes"), cell("int8_head_bytes"), cell("int4_group")
    printf " .splits = %s,\n .calibrated = %s,\n .formats = %s},\n", flags("splits", "ENGINE_SPLIT_"),
        flags("calibrated", "1u << BATCHING_"), flags("formats", "1u << WEIGHTS_")
}
