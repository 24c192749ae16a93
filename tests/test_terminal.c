/* SPDX-License-Identifier: MIT */
/* What is on the screen of the real program: keys, clicks, colours, sizes, wide and hostile text. */
#include "terminal_support.h"

/* ---- keys ---- */

static void first_screen_shows_the_ranking(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    assert_true(screen_has(s, "[1 Rank]"));
    assert_true(screen_has(s, "F1Help"));
    assert_int_equal(session_quit(s), 0);
}

/* The row whose cells are reversed from side to side: the cursor of the list. */
static int cursor_row(struct session *s) {
    for (int row = 1; row < s->rows - 1; row++)
        if (cell_at(s, row, 4).attrs.reverse && cell_at(s, row, 20).attrs.reverse)
            return row;
    return -1;
}

static void every_kind_of_key_arrives(void **state) {
    (void)state;
    static const struct {
        const char *keys, *shows;
    } steps[] = {
        {"3", "[3 Explain]"}, {"2", "[2 Workload]"}, {"1", "[1 Rank]"},     {"\t", "[2 Workload]"},
        {"q", "[1 Rank]"},    {"\033OP", "Help:"},   {"x", "[1 Rank]"},     {"\033[17~", "Sort"},
        {"\033", "F10Quit"},  {"?", "Help:"},        {"\033OP", "F10Quit"}, {"\r", "[3 Explain]"},
    };
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    int first = cursor_row(s);
    assert_true(first > 0);
    press(s, "\033OB"); /* Down */
    assert_int_equal(cursor_row(s), first + 1);
    press(s, "j");
    assert_int_equal(cursor_row(s), first + 2);
    press(s, "\033OA"); /* Up */
    press(s, "k");
    assert_int_equal(cursor_row(s), first);
    press(s, "\033[6~"); /* PgDn */
    press(s, "\033OH");  /* Home */
    assert_int_equal(cursor_row(s), first);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        press(s, steps[i].keys);
        if (!screen_has(s, steps[i].shows))
            fail_msg("after step %zu: no \"%s\"", i, steps[i].shows);
    }
    press(s, "\014"); /* Ctrl-L */
    assert_true(screen_has(s, "[3 Explain]"));
    type(s, "\033[21~"); /* F10 */
    assert_int_equal(session_end(s), 0);
    session_free(s, false);
}

/* The further screens, each left by the key that people try first. */
static void further_screens_come_up(void **state) {
    (void)state;
    static const struct {
        const char *keys, *shows;
    } steps[] = {
        {"4", "[4 What-if]"},        {"\033OC", "Vary"},     {"v", "varying: card"}, {"5", "[5 Map]"},
        {"\033OC", "to the right"},  {"x", "hours upwards"}, {"q", "[4 What-if]"},   {"1", "[1 Rank]"},
        {" ", "offer is marked"},    {" ", "2 offers"},      {"c", "dollars in all"}, {"\033", "F10Quit"},
    };
    struct session *s = session_start(100, 30, NULL, NULL);
    ready(s);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        press(s, steps[i].keys);
        for (int wait = 0; wait < 20 && !screen_has(s, steps[i].shows); wait++)
            await_frame(s); /* some are worked out in slices */
        if (!screen_has(s, steps[i].shows))
            fail_msg("after step %zu: no \"%s\"", i, steps[i].shows);
    }
    assert_int_equal(session_quit(s), 0);
}

/* Long enough for a slow line's arrow key to arrive whole, far from the second that curses waits by itself. */
static void escape_is_quick(void **state) {
    (void)state;
    double best = 1e9;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    for (int i = 0; i < 5; i++) {
        press(s, "?");
        assert_true(screen_has(s, "Help:"));
        type(s, "\033");
        double took = await_frame(s);
        assert_true(took >= 0);
        best = took < best ? took : best;
    }
    print_message("Esc after %.0f ms\n", best);
    assert_true(best >= 20 && best < 60);
    assert_int_equal(session_quit(s), 0);
}

static void letters_type_in_a_prompt(void **state) {
    (void)state;
    struct session *s = session_start(100, 30, NULL, NULL);
    ready(s);
    press(s, "\\gpus>=8 and nosuch");
    await_text(s, "unknown word");
    press(s, "\033");
    type(s, "\\gpus>=8\r");
    await_text(s, " 8x ");
    for (int i = 0; i < 20 && screen_has(s, "  1x "); i++)
        await_frame(s);
    assert_false(screen_has(s, "  1x "));
    press(s, "/qQ\344\270\255\303\251"); /* quits nothing, and wide characters pass */
    assert_true(screen_has(s, "qQ"));
    press(s, "\033");
    assert_int_equal(session_quit(s), 0);
}

/* A machine's own account of itself, opened where the offer's link was only assumed. */
static void a_topology_is_opened(void **state) {
    (void)state;
    char file[] = "/tmp/gpuplan-topology-XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs("GPU0 GPU1 CPU Affinity\nGPU0 X QQX 0-7\nGPU1 SYS X 8-15\n", f);
    fclose(f);
    struct session *s = session_start(100, 40, NULL, NULL);
    ready(s);
    type(s, "6");
    await_text(s, "[6 Topology]");
    type(s, "o");
    type(s, file);
    type(s, "\r");
    await_text(s, "cross_socket");
    assert_true(screen_has(s, "\"QQX\" is no connection"));
    press(s, "x");
    assert_false(screen_has(s, "cross_socket"));
    assert_int_equal(session_quit(s), 0);
    remove(file);
}

/* ---- the mouse ---- */

static void the_mouse_does_what_keys_do(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    int row, column;
    ready(s);
    int first = cursor_row(s);
    click(s, 1, first + 3, 10);
    assert_true(await_frame(s) >= 0);
    assert_int_equal(cursor_row(s), first + 3);
    click(s, 4, first, 10); /* wheel up */
    assert_true(await_frame(s) >= 0);
    assert_true(cursor_row(s) < first + 3);
    assert_true(find_text(s, "Workload", &row, &column));
    click(s, 1, row, column);
    await_text(s, "[2 Workload]");
    assert_true(find_text(s, "Rank", &row, &column));
    click(s, 1, row, column);
    await_text(s, "[1 Rank]");
    assert_true(find_text(s, "F1Help", &row, &column));
    click(s, 1, row, column + 3);
    await_text(s, "Help:");
    press(s, "x");
    type(s, "\033[<0;9;9M\033[<0;9;9m3"); /* a key right behind a click is not kept waiting for the next one */
    await_text(s, "[3 Explain]");
    press(s, "1");
    assert_true(raw_has(s, "\033[?1000h") || raw_has(s, "\033[?1006;1000h"));
    s->raw_len = 0;
    type(s, "M");
    for (int i = 0; i < 5 && !raw_has(s, "1000l"); i++)
        await_frame(s);
    assert_true(raw_has(s, "1000l")); /* off is said, so that the terminal selects text again */
    assert_int_equal(session_quit(s), 0);
}

/* ---- colours ---- */

/* The colour of the word under Fit in the first row below the cursor: 0 to 255, -1 the terminal's own. */
static int color_of_fit(struct session *s, bool *bold) {
    int row = cursor_row(s) + 1;
    const char *line = row_text(s, row), *at = strstr(line, " fits");
    assert_non_null(at);
    VTermScreenCell cell = cell_at(s, row, (int)(at - line) + 1);
    *bold = cell.attrs.bold;
    return VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) ? -1 : VTERM_COLOR_IS_INDEXED(&cell.fg) ? cell.fg.indexed.idx : 256;
}

static int colored_cells(struct session *s) {
    int colored = 0;
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++) {
            VTermScreenCell cell = cell_at(s, row, column);
            colored += !VTERM_COLOR_IS_DEFAULT_FG(&cell.fg);
            assert_true(VTERM_COLOR_IS_DEFAULT_BG(&cell.bg)); /* always the terminal's own */
        }
    return colored;
}

static void colours_follow_the_scheme(void **state) {
    (void)state;
    static const char *const none[] = {"NO_COLOR", "1", NULL}, *const empty[] = {"NO_COLOR", "", NULL},
                             *const mono[] = {"TERM", "vt100", NULL}, *const asked[] = {"GPUPLAN_SCHEME", "mono", NULL},
                             *const linux_console[] = {"TERM", "linux", NULL};
    static const struct {
        const char *scheme;
        const char *const *environment;
        int fit;
        bool bold;
    } cases[] = {{"default", NULL, 2, false}, {"light", NULL, 2, false}, {"colorblind", NULL, 4, true},
                 {"mono", NULL, -1, false},   {NULL, none, -1, false},   {NULL, empty, 2, false},
                 {NULL, mono, -1, false},     {NULL, asked, -1, false},  {NULL, linux_console, 2, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const arguments[] = {cases[i].scheme ? "--scheme" : NULL, cases[i].scheme, NULL};
        struct session *s = session_start(80, 24, arguments, cases[i].environment);
        bool bold;
        ready(s);
        assert_int_equal(color_of_fit(s, &bold), cases[i].fit);
        assert_int_equal(bold, cases[i].bold);
        assert_int_equal(colored_cells(s) > 0, cases[i].fit >= 0);
        assert_int_equal(session_quit(s), 0);
    }
}

/* ---- sizes ---- */

static void set_size(struct session *s, int columns, int rows) {
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    s->columns = columns;
    s->rows = rows;
    vterm_set_size(s->vt, rows, columns);
    assert_int_equal(ioctl(s->master, TIOCSWINSZ, &size), 0);
}

static void any_size_is_drawn(void **state) {
    (void)state;
    static const struct {
        int columns, rows;
        const char *shows;
    } sizes[] = {{120, 40, "Memory of a GPU"}, {40, 10, "Offer"},  {20, 4, "vast"}, {2, 2, ""},
                 {300, 100, "F10Quit"},        {80, 24, "F10Quit"}};
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        set_size(s, sizes[i].columns, sizes[i].rows);
        assert_true(await_frame(s) >= 0);
        if (!screen_has(s, sizes[i].shows))
            fail_msg("no \"%s\" at %dx%d", sizes[i].shows, sizes[i].columns, sizes[i].rows);
    }
    for (int i = 0; i < 60; i++) /* a storm; keys in the middle of it */
        set_size(s, 2 + i * 37 % 140, 2 + i * 11 % 50), type(s, i % 2 ? "3" : "1");
    set_size(s, 80, 24);
    for (int i = 0; i < 20 && !screen_has(s, "F10Quit"); i++)
        await_frame(s);
    press(s, "1\014");
    assert_true(strstr(row_text(s, 23), "F10Quit") != NULL);
    assert_int_equal(session_quit(s), 0);
}

/* One column: without the emulator, which would not survive it. */
static void one_cell_is_enough(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    struct winsize size = {.ws_col = 1, .ws_row = 1}, usual = {.ws_col = 80, .ws_row = 24};
    ready(s);
    for (int i = 0; i < 3; i++) {
        char numbers[256];
        assert_int_equal(ioctl(s->master, TIOCSWINSZ, i % 2 ? &usual : &size), 0);
        assert_true(read(s->frames, numbers, sizeof numbers) > 0);
        char bytes[16384];
        assert_true(read(s->master, bytes, sizeof bytes) > 0);
        type(s, i % 2 ? "1" : "3");
    }
    assert_int_equal(session_quit(s), 0);
}

/* ---- text of listings ---- */

static const char heading[] = "id,provider,machine,gpu,gpus,rate_usd_h,rate_basis\n";

static struct session *with_listing(char *path, const char *rows, size_t len) {
    char text[8192];
    size_t head = sizeof heading - 1;
    memcpy(text, heading, head);
    memcpy(text + head, rows, len);
    strcpy(path, "/tmp/gpuplan-listing-XXXXXX");
    write_temporary(path, text, head + len);
    return session_start(80, 24, (const char *const[]){"-l", path, NULL}, NULL);
}

static void wide_names_keep_their_columns(void **state) {
    (void)state;
    static const char rows[] =
        "a,plain,name,A100-SXM4-80GB,1,1.00,machine\n"
        "b,plain,\344\270\255\346\226\207\345\220\215\345\255\227,A100-SXM4-80GB,1,1.01,machine\n"
        "c,plain,e\314\201a\314\210,A100-SXM4-80GB,1,1.02,machine\n";
    char path[40];
    int row, column;
    struct session *s = with_listing(path, rows, sizeof rows - 1);
    await_text(s, "plain name");
    assert_true(find_text(s, "plain name", &row, &column));
    int gpu = (int)(strstr(row_text(s, row), "1x A100") - row_text(s, row));
    VTermScreenCell wide = cell_at(s, row + 1, column + 6);
    assert_int_equal(wide.chars[0], 0x4E2D);
    assert_int_equal(wide.width, 2);
    for (int i = 1; i <= 2; i++)
        assert_int_equal(strstr(row_text(s, row + i), "1x A100") - row_text(s, row + i), gpu);
    assert_int_equal(session_quit(s), 0);
    unlink(path);
}

/* Bytes of escape sequences that curses itself writes: CSI with digits, charsets, keypad modes; nothing else. */
static size_t tame_escape(const char *at, size_t len) {
    size_t n = 2;
    if (len < 2)
        return 0;
    if (at[1] == '[') {
        while (n < len && (at[n] == '?' || at[n] == ';' || at[n] == '>' || (at[n] >= '0' && at[n] <= '9')))
            n++;
        return n < len && strchr("ABCDGHJKLMPSTXZ@bcdfghlmrt", at[n]) ? n + 1 : 0;
    }
    if (strchr("()", at[1]))
        return len > 2 && strchr("B0", at[2]) ? 3 : 0;
    return strchr("78=>M", at[1]) ? 2 : 0;
}

static void assert_tame(const struct session *s) {
    for (size_t i = 0; i < s->raw_len;) {
        unsigned char c = (unsigned char)s->raw[i];
        size_t escape = c == 0x1B ? tame_escape(s->raw + i, s->raw_len - i) : 1;
        if (!escape || (c < ' ' && !strchr("\r\n\b\t\016\017\033", c)) || c == 0 || c == 0x7F)
            fail_msg("the terminal was sent byte %zu: 0x%02X 0x%02X", i, c, (unsigned char)s->raw[i + 1]);
        assert_false(c == 0xC2 && (unsigned char)s->raw[i + 1] < 0xA0); /* C1 */
        i += escape;
    }
    static const char *const directions[] = {"\342\200\252", "\342\200\256", "\342\201\246", "\342\201\251",
                                             "\342\200\217", "\342\200\213", "\357\273\277"};
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        assert_false(raw_has(s, directions[i]));
}

static void copy_screen(struct session *s, VTermScreenCell *cells) {
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++)
            cells[row * s->columns + column] = cell_at(s, row, column);
}

static bool same_text(const VTermScreenCell *a, const VTermScreenCell *b) {
    int i = 0;
    while (i < VTERM_MAX_CHARS_PER_CELL && a->chars[i] == b->chars[i] && a->chars[i] != 0)
        i++;
    return i == VTERM_MAX_CHARS_PER_CELL || a->chars[i] == b->chars[i];
}

/* The same two listings but for one name: only the cells of its row may differ. */
static void hostile_text_stays_in_its_row(void **state) {
    (void)state;
    static const char
        first[] = "a,plain,aaaa,A100-SXM4-80GB,1,1.00,machine\nb,evil,\"",
        last[] = "\",A100-SXM4-80GB,1,1.01,machine\nc,plain,cccc,A100-SXM4-80GB,1,1.02,machine\n"
                 "d,plain,a name so long that its column is as wide as it can be,A100-SXM4-80GB,1,1.03,machine\n";
    static const char *const names[] = {
        "quiet",
        "\033]52;c;QUJD\007\033[2J\033[31mred",
        "\302\2332J\302\2355;x\302\234",
        "\342\200\256rtl\342\200\213\342\201\246x\357\273\277",
        "two\nlines\r\tand\b\b\b\bback\177",
        "\033P1$q\033\\\033_x\033\\\033c\033[?1049l",
        "a\314\201\314\201\314\201\314\201\314\201\314\201\314\201",
        "\360\237\217\263\357\270\217\342\200\215\360\237\214\210\363\240\201\202",
        "\377\376\300\200\355\240\200",
    };
    static VTermScreenCell quiet[80 * 24], now[80 * 24];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char rows[1024], path[40];
        int row, column, len = snprintf(rows, sizeof rows, "%s%s%s", first, names[i], last);
        struct session *s = with_listing(path, rows, (size_t)len);
        await_text(s, "evil");
        await_text(s, "cccc");
        await_text(s, "One GPU is enough");
        copy_screen(s, i ? now : quiet);
        assert_true(find_text(s, "evil", &row, &column));
        for (int k = 0; i && k < 80 * 24; k++)
            if (k / 80 != row && !same_text(&quiet[k], &now[k]))
                fail_msg("name %zu changed row %d, column %d", i, k / 80, k % 80);
        press(s, "j");
        press(s, "3");
        press(s, "y"); /* its id is printed at the end */
        type(s, "Q");
        assert_int_equal(session_end(s), 0);
        assert_tame(s);
        assert_false(i && raw_has(s, names[i]));
        session_free(s, false);
        unlink(path);
    }
}

static void bytes_of_a_listing_that_is_none_are_harmless(void **state) {
    (void)state;
    static const char rows[] = "\000\001\002\033[2J,\033]0;t\007\nx\000y,z\n";
    char path[40];
    struct session *s = with_listing(path, rows, sizeof rows - 1);
    await_text(s, "F10Quit");
    type(s, "Q");
    session_end(s);
    assert_tame(s);
    session_free(s, false);
    unlink(path);
}

/* ---- nothing to do ---- */

static long cpu_ticks(pid_t pid) {
    char path[64], line[1024] = "";
    long user = 0, system_time = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, sizeof line, f) || !strrchr(line, ')'))
        skip();
    fclose(f);
    assert_int_equal(
        sscanf(strrchr(line, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system_time), 2);
    return user + system_time;
}

static void idle_writes_nothing_and_sleeps(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    struct pollfd fd = {.fd = s->master, .events = POLLIN};
    while (poll(&fd, 1, 300) > 0)
        take_output(s);
    long before = cpu_ticks(s->pid);
    assert_int_equal(poll(&fd, 1, 400), 0);
    assert_in_range(cpu_ticks(s->pid) - before, 0, 1); /* of 40 */
    assert_int_equal(session_quit(s), 0);
}

/* What another program wrote over the screen is gone once the window has the focus again. */
static void focus_repaints(void **state) {
    (void)state;
    static const char garbage[] = "\033[3;1Hgarbage of another program";
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    assert_non_null(strstr(s->raw, "\033[?1004h"));
    vterm_input_write(s->vt, garbage, strlen(garbage));
    assert_true(screen_has(s, "garbage"));
    press(s, "\033[I");
    assert_false(screen_has(s, "garbage"));
    press(s, "\033[Oj"); /* the loss of it is no key */
    assert_true(screen_has(s, ">  2"));
    assert_int_equal(session_quit(s), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_screen_shows_the_ranking),
        cmocka_unit_test(every_kind_of_key_arrives),
        cmocka_unit_test(further_screens_come_up),
        cmocka_unit_test(escape_is_quick),
        cmocka_unit_test(letters_type_in_a_prompt),
        cmocka_unit_test(a_topology_is_opened),
        cmocka_unit_test(the_mouse_does_what_keys_do),
        cmocka_unit_test(colours_follow_the_scheme),
        cmocka_unit_test(any_size_is_drawn),
        cmocka_unit_test(one_cell_is_enough),
        cmocka_unit_test(wide_names_keep_their_columns),
        cmocka_unit_test(hostile_text_stays_in_its_row),
        cmocka_unit_test(bytes_of_a_listing_that_is_none_are_harmless),
        cmocka_unit_test(focus_repaints),
        cmocka_unit_test(idle_writes_nothing_and_sleeps),
    };
    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
