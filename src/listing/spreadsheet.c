/* SPDX-License-Identifier: MIT */
/*
 * Any spreadsheet whose header says enough: a mapping is made from the header and then used like one from a file. Nothing is
 * guessed about money: a price column has to say per GPU or per machine, per hour or month, and the currency; or other columns
 * do. Otherwise the file is refused with a line that says how to state it.
 */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/text.h"
#include "listing/mapping.h"

enum { MAX_HEADER = 96, SCORE = 30 /* below every format that knows its files */ };

/* Words of a header in small letters, one blank between them and at both ends: " price per gpu hour ". */
static void simplify(const char *s, char *out) {
    size_t n = 0;
    out[n++] = ' ';
    for (; *s && n + 8 < MAX_HEADER; s++) {
        unsigned char c = (unsigned char)*s;
        if (isalnum(c))
            out[n++] = (char)tolower(c);
        else if (c == '$' || c == '#') {
            n += (size_t)sprintf(out + n, out[n - 1] == ' ' ? "%s " : " %s ", c == '$' ? "usd" : "number");
        } else if (strncmp(s, "\xe2\x82\xac", 3) == 0) { /* the euro sign */
            n += (size_t)sprintf(out + n, out[n - 1] == ' ' ? "eur " : " eur ");
            s += 2;
        } else if (out[n - 1] != ' ')
            out[n++] = ' ';
    }
    if (out[n - 1] != ' ')
        out[n++] = ' ';
    out[n] = '\0';
}

static bool has_word(const char *simple, const char *const *words) {
    char padded[32];
    for (; *words; words++) {
        snprintf(padded, sizeof padded, " %s ", *words);
        if (strstr(simple, padded))
            return true;
    }
    return false;
}

/* Headers that mean a field, whole. */
static const struct {
    const char *field, *unit;
    const char *names[12];
} known[] = {
    {"gpu", NULL, {"gpu", "gpu model", "gpu type", "gpu name", "gpu card", "card", "accelerator", "graphics card"}},
    {"gpus",
     NULL,
     {"gpus", "gpu count", "number of gpus", "num gpus", "gpu qty", "gpu quantity", "number gpus", "count", "qty",
      "n gpus", "no of gpus", "cards"}},
    {"provider", NULL, {"provider", "cloud", "vendor", "company", "supplier", "hosting provider", "host", "seller"}},
    {"machine",
     NULL,
     {"machine", "instance", "instance type", "instance name", "plan", "server", "sku", "flavor", "machine type",
      "offer", "product"}},
    {"vram_gb",
     "GB",
     {"vram", "vram gb", "gpu memory", "gpu memory gb", "gpu ram", "gpu ram gb", "vram per gpu", "vram per gpu gb",
      "memory per gpu", "memory per gpu gb", "gpu vram", "gpu vram gb"}},
    {"vram_total_gb",
     "GB",
     {"total vram", "total vram gb", "vram total", "vram total gb", "total gpu memory", "total gpu memory gb"}},
    {"region", NULL, {"region", "location", "data center", "datacenter", "data centre", "country", "site", "zone"}},
    {"cpu_cores", NULL, {"vcpu", "vcpus", "cpu cores", "cpus", "cores", "threads", "cpu threads"}},
    {"ram_gb", "GB", {"ram", "ram gb", "memory", "memory gb", "system ram", "system ram gb", "host ram gb"}},
    {"disk_local_gb", "GB", {"disk", "disk gb", "storage", "storage gb", "ssd", "ssd gb", "nvme", "nvme gb"}},
    {"available", NULL, {"available", "in stock", "availability"}},
    {"form_factor", NULL, {"form factor", "form", "socket"}},
    {"currency", NULL, {"currency"}},
    {"rate_basis", NULL, {"rate basis", "price basis", "basis", "price per", "priced per"}},
    {"rate_kind", NULL, {"rate kind", "price kind", "kind", "pricing"}},
    {"observed_at", NULL, {"observed at", "date", "updated", "last updated", "checked"}},
};

static const char *const price_words[] = {"price", "rate", "cost", "usd", "eur", "gbp", "hourly", NULL};
/* "GPU price" alone may be the price of a machine with GPUs. */
static const char *const gpu_words[] = {"per gpu",   "each gpu", "one gpu", "gpu hour", "gpu hr",   "gpu h",
                                        "gpu month", "usd gpu",  "eur gpu", "gbp gpu",  "per card", NULL};
static const char *const machine_words[] = {"machine", "server", "node", "instance", "host", "box", "system", NULL};
static const char *const spot_words[] = {"spot", "preemptible", "interruptible", NULL};
static const char *const other_words[] = {"reserved", "committed", "commitment", "setup",    "storage",
                                          "egress",   "disk",      "old",        "purchase", NULL};
static const struct {
    const char *unit;
    const char *words[6];
} times[] = {{"unit/h", {"hour", "hourly", "hr", "h"}},
             {"unit/day", {"day", "daily"}},
             {"unit/month", {"month", "monthly", "mo"}},
             {"unit/year", {"year", "yearly", "annual"}}};
static const struct {
    const char *code;
    const char *words[4];
} currencies[] = {{"USD", {"usd", "dollar", "dollars"}}, {"EUR", {"eur", "euro", "euros"}}, {"GBP", {"gbp", "pound"}}};

/* What a price column says of itself; NULL = nothing. */
struct price {
    const char *column, *unit, *currency, *basis;
    bool spot;
};

static bool read_price(const char *column, const char *simple, struct price *out) {
    *out = (struct price){.column = column};
    if (!has_word(simple, price_words) || has_word(simple, other_words))
        return false;
    for (size_t i = 0; i < sizeof times / sizeof *times && !out->unit; i++)
        if (has_word(simple, times[i].words))
            out->unit = times[i].unit;
    for (size_t i = 0; i < sizeof currencies / sizeof *currencies && !out->currency; i++)
        if (has_word(simple, currencies[i].words))
            out->currency = currencies[i].code;
    bool gpu = has_word(simple, gpu_words), machine = has_word(simple, machine_words);
    out->basis = gpu == machine ? NULL : gpu ? "gpu" : "machine";
    out->spot = has_word(simple, spot_words);
    return true;
}

enum { MAX_PRICES = 8, MAX_FIELDS = sizeof known / sizeof *known };

struct sheet {
    const char *columns[MAX_FIELDS]; /* by known[]; NULL */
    struct price prices[MAX_PRICES];
    size_t price_count;
    struct arena *text;
    /* how the numbers of the prices are written */
    size_t price_index[MAX_PRICES];
    bool comma, point, thousands, doubtful;
};

static size_t field_index(const char *name) {
    size_t i = 0;
    while (strcmp(known[i].field, name) != 0)
        i++;
    return i;
}

static const char *column_of(const struct sheet *s, const char *field) {
    return s->columns[field_index(field)];
}

static bool on_header(void *user, const struct csv_row *row, struct err *err) {
    struct sheet *s = user;
    char simple[MAX_HEADER], whole[MAX_HEADER];
    (void)err;
    for (size_t i = 0; i < row->count; i++) {
        const char *cell = row->cells[i];
        size_t len = row->lengths[i];
        text_trim(&cell, &len);
        const char *name = arena_strndup(s->text, cell, len);
        struct price price;
        bool taken = false;
        simplify(name, simple);
        for (size_t f = 0; f < MAX_FIELDS; f++)
            for (size_t k = 0; k < sizeof known[f].names / sizeof *known[f].names && known[f].names[k]; k++) {
                snprintf(whole, sizeof whole, " %s ", known[f].names[k]);
                if (strcmp(whole, simple) != 0)
                    continue;
                taken = true;
                if (!s->columns[f])
                    s->columns[f] = name;
            }
        if (!taken && s->price_count < MAX_PRICES && read_price(name, simple, &price)) {
            s->price_index[s->price_count] = i;
            s->prices[s->price_count++] = price;
        }
    }
    return true;
}

/* "1.50" has a point, "1,50" a comma, "1,234.50" commas between thousands; "1,234" alone can be either. */
static void look_at_number(struct sheet *s, const char *cell) {
    const char *comma = strchr(cell, ','), *point = strchr(cell, '.');
    size_t after = comma ? strspn(comma + 1, "0123456789") : 0;
    if (comma && point) {
        s->thousands |= comma < point;
        s->comma |= comma > point;
        s->point |= comma < point;
    } else if (comma) {
        s->doubtful |= after == 3;
        s->comma |= after != 3;
    } else if (point) {
        s->point = true;
    }
}

static bool on_row(void *user, const struct csv_row *row, struct err *err) {
    struct sheet *s = user;
    (void)err;
    for (size_t i = 0; i < s->price_count; i++)
        if (s->price_index[i] < row->count)
            look_at_number(s, row->cells[s->price_index[i]]);
    return true;
}

/* ---- the mapping ---- */

static cJSON *add_field(cJSON *fields, const char *name, const char *column, const char *unit) {
    cJSON *f = cJSON_AddObjectToObject(fields, name);
    cJSON_AddStringToObject(f, "from", column);
    if (unit)
        cJSON_AddStringToObject(f, "unit", unit);
    return f;
}

static void add_constant(cJSON *fields, const char *name, const char *value) {
    cJSON_AddStringToObject(cJSON_AddObjectToObject(fields, name), "const", value);
}

static void add_words(cJSON *field, const char *const (*pairs)[2]) {
    cJSON *words = cJSON_AddObjectToObject(field, "words");
    for (; (*pairs)[0]; pairs++)
        cJSON_AddStringToObject(words, (*pairs)[0], (*pairs)[1]);
}

static void add_price(cJSON *fields, const struct sheet *s, const char *name, const struct price *p) {
    cJSON *f = add_field(fields, name, p->column, p->unit);
    cJSON_AddStringToObject(f, "strip", s->thousands ? "$\xe2\x82\xac\xc2\xa3, " : "$\xe2\x82\xac\xc2\xa3 ");
    if (s->comma)
        cJSON_AddStringToObject(f, "decimal", ",");
}

/* "8x H100": the count may stand before the name. */
static void add_card(cJSON *fields, const struct sheet *s) {
    const char *card = column_of(s, "gpu"), *count = column_of(s, "gpus");
    cJSON *names = cJSON_AddArrayToObject(fields, "gpu"), *f = cJSON_CreateObject();
    cJSON_AddStringToObject(f, "from", card);
    cJSON_AddStringToObject(f, "match", "^[0-9]+ ?[xX] ?(.+)$");
    cJSON_AddItemToArray(names, f);
    cJSON_AddItemToArray(names, cJSON_CreateString(card));
    cJSON *counts = cJSON_AddArrayToObject(fields, "gpus");
    if (count)
        cJSON_AddItemToArray(counts, cJSON_CreateString(count));
    f = cJSON_CreateObject();
    cJSON_AddStringToObject(f, "from", card);
    cJSON_AddStringToObject(f, "match", "^([0-9]+) ?[xX] ");
    cJSON_AddItemToArray(counts, f);
}

static void add_known(cJSON *fields, const struct sheet *s) {
    static const char *const stock[][2] = {
        {"in stock", "yes"}, {"yes", "yes"},         {"true", "yes"},    {"available", "yes"}, {"no", "no"},
        {"false", "no"},     {"out of stock", "no"}, {"sold out", "no"}, {"*", "unknown"},     {NULL, NULL}};
    static const char *const basis[][2] = {{"gpu", "gpu"},
                                           {"card", "gpu"},
                                           {"per gpu", "gpu"},
                                           {"machine", "machine"},
                                           {"server", "machine"},
                                           {"node", "machine"},
                                           {"instance", "machine"},
                                           {"per machine", "machine"},
                                           {"*", ""},
                                           {NULL, NULL}};
    static const char *const kinds[][2] = {{"on-demand", "on_demand"}, {"on demand", "on_demand"},
                                           {"ondemand", "on_demand"},  {"interruptible", "spot"},
                                           {"preemptible", "spot"},    {NULL, NULL}};
    add_card(fields, s);
    for (size_t i = 0; i < MAX_FIELDS; i++) {
        const char *name = known[i].field;
        if (!s->columns[i] || strcmp(name, "gpu") == 0 || strcmp(name, "gpus") == 0)
            continue;
        cJSON *f = add_field(fields, name, s->columns[i], known[i].unit);
        if (strcmp(name, "available") == 0)
            add_words(f, stock);
        else if (strcmp(name, "rate_basis") == 0)
            add_words(f, basis);
        else if (strcmp(name, "rate_kind") == 0)
            add_words(f, kinds);
    }
}

/* The file's name without folders and endings: who rents, when no column says so. */
static void provider_of(const char *name, char *out, size_t cap) {
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    size_t len = strcspn(base, ".");
    if (len == 0 || strcmp(base, "-") == 0)
        base = "unknown", len = 7;
    text_clean(out, cap, base, len);
}

static bool refuse(struct err *err, const char *name, const char *column, const char *what) {
    err_set(err, ERR_DATA,
            "the price column does not say %s; call it \"price per GPU per hour USD\" or \"price per machine per hour "
            "USD\" "
            "(whichever is true), or write a mapping file (gpuplan import --mapping)",
            what);
    return err_at(err, name, 1, 0, column);
}

/* The price that counts: of a machine before that of a GPU, what says all before what does not. */
static const struct price *choose(const struct sheet *s, bool spot, const char *basis) {
    const struct price *best = NULL;
    for (size_t i = 0; i < s->price_count; i++) {
        const struct price *p = &s->prices[i];
        if (p->spot == spot && (!basis || (p->basis && strcmp(p->basis, basis) == 0)) &&
            (!best || (!best->unit && p->unit)))
            best = p;
    }
    return best;
}

static bool check_price(const struct sheet *s, const struct price *p, const char *name, struct err *err) {
    if (!p->basis && !column_of(s, "rate_basis"))
        return refuse(err, name, p->column, "whether it is that of one GPU or of the machine");
    if (!p->unit)
        return refuse(err, name, p->column, "for how long");
    if (!p->currency && !column_of(s, "currency"))
        return refuse(err, name, p->column, "in which currency");
    if ((s->comma && s->point) || (s->doubtful && !s->comma && !s->thousands)) {
        err_set(err, ERR_DATA,
                "prices such as \"1,234\" can be read in two ways; write a mapping file with \"decimal\" or \"strip\"");
        return err_at(err, name, 1, 0, p->column);
    }
    return true;
}

static char *make_mapping(const struct sheet *s, const char *name, struct err *err) {
    char provider[64];
    const struct price *p = choose(s, false, "machine");
    if (!p || (!p->unit && choose(s, false, "gpu")))
        p = choose(s, false, "gpu") ? choose(s, false, "gpu") : choose(s, false, NULL);
    const struct price *main_price = p ? p : choose(s, true, NULL);
    if (!check_price(s, main_price, name, err))
        return NULL;
    cJSON *file = cJSON_CreateObject();
    cJSON_AddStringToObject(file, "name", "spreadsheet");
    cJSON_AddStringToObject(file, "label", "Spreadsheet");
    cJSON_AddStringToObject(file, "about", "Made from the header.");
    cJSON_AddStringToObject(file, "format", "csv");
    cJSON *columns = cJSON_AddArrayToObject(cJSON_AddObjectToObject(file, "recognise"), "columns");
    cJSON_AddItemToArray(columns, cJSON_CreateString(column_of(s, "gpu")));
    cJSON *empty = cJSON_AddArrayToObject(file, "empty");
    static const char *const nothing[] = {"-", "\xe2\x80\x94", "n/a", "na", "?", "unknown", "none"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        cJSON_AddItemToArray(empty, cJSON_CreateString(nothing[i]));
    cJSON *fields = cJSON_AddObjectToObject(file, "fields");
    add_known(fields, s);
    if (!column_of(s, "provider")) {
        provider_of(name, provider, sizeof provider);
        add_constant(fields, "provider", provider);
    }
    if (!column_of(s, "currency"))
        add_constant(fields, "currency", main_price->currency);
    if (!column_of(s, "rate_basis"))
        add_constant(fields, "rate_basis", main_price->basis);
    add_price(fields, s, main_price->spot ? "spot_usd_h" : "rate_usd_h", main_price);
    const struct price *spot = main_price->spot ? NULL : choose(s, true, main_price->basis);
    if (spot && spot->unit)
        add_price(fields, s, "spot_usd_h", spot);
    const struct price *each = choose(s, false, "gpu");
    if (each && each != main_price && each->unit)
        add_price(fields, s, "gpu_rate_usd_h", each);
    char *text = cJSON_PrintUnformatted(file);
    cJSON_Delete(file);
    return text;
}

static bool first_row(void *user, const struct csv_row *row, struct err *err) {
    (void)user, (void)row;
    return err_set(err, ERR_DATA, "that is enough");
}

int spreadsheet_recognise(const char *bytes, size_t len) {
    struct sheet s = {.text = NULL};
    struct err err = {0};
    if (len == 0 || strchr("{[<", bytes[0]) || gpuplan_csv_recognise(bytes, len))
        return 0; /* our own comes in thousands of slices: no time for a second look */
    s.text = arena_new();
    struct csv_handler handler = {on_header, first_row, &s};
    csv_read(bytes, len, "", &handler, &err);
    bool fits = column_of(&s, "gpu") && s.price_count > 0;
    arena_free(s.text);
    return fits ? SCORE : 0;
}

bool spreadsheet_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                      struct offers *out, struct err *err) {
    struct sheet s = {.text = arena_new()};
    struct csv_handler handler = {on_header, on_row, &s};
    bool good = csv_read(bytes, len, name, &handler, err);
    char *text = good ? make_mapping(&s, name, err) : NULL;
    struct mapping *m = text ? mapping_parse(text, strlen(text), name, MAPPING_BUNDLED, err) : NULL;
    good = m && mapping_read(m, &m->shapes[0], ctx, bytes, len, name, out, err);
    mapping_free(m);
    free(text);
    arena_free(s.text);
    return good;
}
