/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/data.h"
#include "gpuplan/io/child.h"
#include "gpuplan/io/endpoint.h"
#include "gpuplan/io/io.h"
#include "gpuplan/io/snapshot.h"

static char folder[64];

/* Runs a program of the PATH, its output into `output` unless that is NULL. False when it is missing or fails. */
static bool run(const char *const *words, const char *output) {
    pid_t child = fork();
    if (child == 0) {
        int fd = open(output != NULL ? output : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        char *arguments[4] = {NULL};
        for (size_t i = 0; i < 3 && words[i] != NULL; i++)
            arguments[i] = mem_strdup(words[i]);
        if (fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
            execvp(arguments[0], arguments);
        _exit(127);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/gpuplan-io-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return run((const char *const[]){"rm", "-r", folder}, NULL) ? 0 : -1;
}

static const char *in_folder(const char *name) {
    static char paths[4][192];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void put_file(const char *path, const void *bytes, size_t len) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static void reads_what_it_wrote(void **state) {
    struct err err = {0};
    struct buf b = {0};
    struct stat st;
    (void)state;
    assert_true(io_write_atomic(in_folder("a.csv"), "one\n", 4, &err));
    assert_true(io_write_atomic(in_folder("a.csv"), "two\n", 4, &err));
    assert_true(io_read(in_folder("a.csv"), 100, &b, &err));
    assert_string_equal(b.data, "two\n");
    assert_int_equal(stat(in_folder("a.csv"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    buf_free(&b);
}

/* Nothing else may be left in the folder: a temporary file is renamed or removed. */
static void leaves_no_temporary_file(void **state) {
    struct err err = {0};
    struct io_list list = {0};
    (void)state;
    assert_int_equal(mkdir(in_folder("empty"), 0700), 0);
    assert_true(io_write_atomic(in_folder("empty/x.csv"), "x\n", 2, &err));
    assert_false(io_write_atomic(in_folder("absent/x.csv"), "x\n", 2, &err));
    assert_int_equal(err.code, ERR_IO);
    assert_true(io_read_dir(in_folder("empty"), &list, &err));
    assert_int_equal(list.count, 1);
    io_list_free(&list);
}

static void replaces_the_target_of_a_link(void **state) {
    struct err err = {0};
    struct buf b = {0};
    struct stat st;
    (void)state;
    put_file(in_folder("target"), "old", 3);
    assert_int_equal(symlink("target", in_folder("link")), 0);
    assert_true(io_write_atomic(in_folder("link"), "new", 3, &err));
    assert_int_equal(lstat(in_folder("link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_true(io_read(in_folder("target"), 100, &b, &err));
    assert_string_equal(b.data, "new");
    assert_int_equal(symlink("later", in_folder("dangling")), 0);
    assert_true(io_write_atomic(in_folder("dangling"), "made", 4, &err));
    assert_true(io_read(in_folder("later"), 100, &b, &err));
    assert_string_equal(b.data, "made");
    buf_free(&b);
}

static void unpacks(void **state) {
    struct err err = {0};
    struct buf b = {0};
    static const char *const packers[] = {"gzip", "xz", "zstd"};
    (void)state;
    put_file(in_folder("plain.csv"), "#mtree\na,b\n1,2\n", 15);
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
        const char *const words[] = {packers[i], "-c", in_folder("plain.csv")};
        if (!run(words, in_folder("packed")))
            continue; /* not installed */
        assert_true(io_read(in_folder("packed"), 1000, &b, &err));
        assert_string_equal(b.data, "#mtree\na,b\n1,2\n");
    }
    assert_true(io_write_atomic(in_folder("own.csv.gz"), "a,b\n", 4, &err));
    assert_true(io_read(in_folder("own.csv.gz"), 1000, &b, &err));
    assert_string_equal(b.data, "a,b\n");
    buf_free(&b);
}

struct names {
    char text[256];
};

static bool note(void *user, const char *name, struct io_bytes *bytes, struct err *err) {
    struct names *n = user;
    (void)err;
    snprintf(n->text + strlen(n->text), sizeof n->text - strlen(n->text), "%s=%zu;", io_base_name(name), bytes->len);
    assert_int_equal(bytes->data[bytes->len], 0);
    return true;
}

static void visits_members_of_a_zip(void **state) {
    /* two stored members, "a" with "hi" and "b" empty */
    static const unsigned char zip[] = {
        0x50, 0x4b, 3,    4,    10,   0,    0,    0, 0,  0, 0,   0,    0x21, 0x58, 0xac, 0x2a, 0x93, 0xd8, 2,    0,
        0,    0,    2,    0,    0,    0,    1,    0, 0,  0, 'a', 'h',  'i',  0x50, 0x4b, 3,    4,    10,   0,    0,
        0,    0,    0,    0,    0,    0x21, 0x58, 0, 0,  0, 0,   0,    0,    0,    0,    0,    0,    0,    0,    1,
        0,    0,    0,    'b',  0x50, 0x4b, 1,    2, 10, 3, 10,  0,    0,    0,    0,    0,    0,    0,    0x21, 0x58,
        0xac, 0x2a, 0x93, 0xd8, 2,    0,    0,    0, 2,  0, 0,   0,    1,    0,    0,    0,    0,    0,    0,    0,
        0,    0,    0,    0,    0xa4, 0x81, 0,    0, 0,  0, 'a', 0x50, 0x4b, 1,    2,    10,   3,    10,   0,    0,
        0,    0,    0,    0,    0,    0x21, 0x58, 0, 0,  0, 0,   0,    0,    0,    0,    0,    0,    0,    0,    1,
        0,    0,    0,    0,    0,    0,    0,    0, 0,  0, 0,   0xa4, 0x81, 33,   0,    0,    0,    'b',  0x50, 0x4b,
        5,    6,    0,    0,    0,    0,    2,    0, 2,  0, 94,  0,    0,    0,    64,   0,    0,    0,    0,    0};
    struct err err = {0};
    struct names names = {""};
    struct buf b = {0};
    (void)state;
    put_file(in_folder("two.zip"), zip, sizeof zip);
    assert_true(io_load(in_folder("two.zip"), 1000, note, &names, &err));
    assert_string_equal(names.text, "a=2;b=0;");
    assert_false(io_read(in_folder("two.zip"), 1000, &b, &err));
    assert_int_equal(err.code, ERR_DATA);
    buf_free(&b);
}

static void refuses_what_is_too_large_or_no_file(void **state) {
    struct err err = {0};
    struct buf b = {0}, zeros = {0};
    (void)state;
    put_file(in_folder("ten"), "0123456789", 10);
    assert_true(io_read(in_folder("ten"), 10, &b, &err));
    assert_false(io_read(in_folder("ten"), 9, &b, &err));
    assert_false(io_read(in_folder(""), 100, &b, &err));
    assert_int_equal(err.code, ERR_IO);
    assert_string_equal(err.file, in_folder(""));
    assert_false(io_read(in_folder("absent"), 100, &b, &err));
    assert_true(io_read("/dev/null", 100, &b, &err));
    assert_false(io_read("/dev/zero", 100, &b, &err));
    assert_string_equal(err.text, "a device, not a file");
    assert_false(io_read("", 100, &b, &err));
    assert_string_equal(err.file, "\"\"");
    assert_int_equal(b.len, 0);
    assert_false(io_read("/dev/zero", 1 << 20, &b, &err));
    buf_pad(&zeros, 'x', 4 << 20); /* a bomb: 4 MiB from a few KiB */
    assert_true(io_write_atomic(in_folder("bomb.gz"), zeros.data, zeros.len, &err));
    assert_false(io_read(in_folder("bomb.gz"), 1 << 20, &b, &err));
    assert_non_null(strstr(err.text, "larger than the limit"));
    put_file(in_folder("cut.gz"), "\x1f\x8b\x08\0\0\0\0\0\0\3ab", 12);
    assert_false(io_read(in_folder("cut.gz"), 100, &b, &err));
    buf_free(&b);
    buf_free(&zeros);
}

static void gives_pages_back(void **state) {
    struct err err = {0};
    struct buf big = {0};
    (void)state;
    buf_pad(&big, 'x', 9 << 20);
    struct io_bytes bytes = {0};
    put_file(in_folder("big"), big.data, big.len);
    buf_free(&big);
    io_bytes_release(&bytes, NULL);
    io_bytes_free(&bytes);
    struct names names = {""};
    assert_true(io_load(in_folder("big"), 64 << 20, note, &names, &err));
    assert_string_equal(names.text, "big=9437184;");
}

static void finds_xdg_places(void **state) {
    (void)state;
    setenv("XDG_DATA_HOME", "/x/data", 1);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    setenv("HOME", "/home/u", 1);
    char *data = io_xdg_path(IO_DATA, "snapshots/a.csv"), *config = io_xdg_path(IO_CONFIG, NULL);
    assert_string_equal(data, "/x/data/gpuplan/snapshots/a.csv");
    assert_string_equal(config, "/home/u/.config/gpuplan");
    free(data);
    free(config);
    unsetenv("HOME");
    assert_null(io_xdg_path(IO_CONFIG, NULL));
}

static void makes_folders(void **state) {
    struct err err = {0};
    (void)state;
    assert_true(io_make_dirs(in_folder("p/q/r"), &err));
    assert_true(io_make_dirs(in_folder("p/q/r"), &err));
    assert_true(io_is_dir(in_folder("p/q/r")));
    put_file(in_folder("p/file"), "", 0);
    assert_false(io_make_dirs(in_folder("p/file/x"), &err));
}

/* ---- addresses ---- */

static void fills_in_addresses(void **state) {
    static const struct {
        const char *url, *base, *each, *version, *made; /* made NULL: refused */
    } cases[] = {
        {"https://a.b/x/{each}/y?z=1", NULL, "aws", NULL, "https://a.b/x/aws/y?z=1"},
        {"https://a.b/{each}/{version}.zip", "http://127.0.0.1:8/m/", "a/b", "1 2",
         "http://127.0.0.1:8/m/a%2Fb/1%202.zip"},
        {"https://a.b", "https://c.d", NULL, NULL, "https://c.d"},
        {"", NULL, NULL, NULL, NULL},
        {"ftp://a.b/", NULL, NULL, NULL, NULL},
        {"https:///x", NULL, NULL, NULL, NULL},
        {"https://u:p@a.b/", NULL, NULL, NULL, NULL},
        {"https://a.b/x y", NULL, NULL, NULL, NULL},
        {"https://a.b/\n", NULL, NULL, NULL, NULL},
    };
    struct buf b = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good = endpoint_url(cases[i].url, cases[i].base, cases[i].each, cases[i].version, &b, NULL);
        assert_int_equal(good, cases[i].made != NULL);
        if (good)
            assert_string_equal(b.data, cases[i].made);
    }
    buf_free(&b);
}

static void follows_pages_on_the_same_host(void **state) {
    static const struct {
        const char *from, *base, *next, *made;
    } cases[] = {
        {"https://a.b/l?p=1", NULL, "https://a.b:443/l?p=2", "https://a.b/l?p=2"},
        {"https://a.b/l?p=1", NULL, "http://evil.invalid/l?p=2", "https://a.b/l?p=2"},
        {"https://a.b/l?p=1", NULL, "?p=2", "https://a.b/l?p=2"},
        {"https://a.b/l?p=1", NULL, "/m?u=http://c/", "https://a.b/m?u=http://c/"},
        {"http://m/x/l", "http://m/x", "https://a.b/l?p=2", "http://m/x/l?p=2"},
        {"https://a.b/l", NULL, "javascript:alert(1)", NULL},
        {"https://a.b/l", NULL, "/\r\nX: 1", NULL},
        {"https://a.b/l", NULL, "", NULL},
    };
    struct buf b = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good = url_follow(cases[i].from, cases[i].base, cases[i].next, &b, NULL);
        assert_int_equal(good, cases[i].made != NULL);
        if (good)
            assert_string_equal(b.data, cases[i].made);
    }
    url_argument("https://a.b/l?x=1&page=2&y=3#top", "page", "a&b", &b);
    assert_string_equal(b.data, "https://a.b/l?x=1&y=3&page=a%26b");
    url_argument("https://a.b/l", "page", "2", &b);
    assert_string_equal(b.data, "https://a.b/l?page=2");
    assert_true(url_of_link_header("</a>; rel=\"prev\", <https://x/b?c=1>; rel=\"next\"", &b));
    assert_string_equal(b.data, "https://x/b?c=1");
    assert_false(url_of_link_header("</a>; rel=\"prev\"", &b));
    assert_false(url_of_link_header("<a", &b));
    buf_free(&b);
    assert_true(url_is_loopback("http://127.1.2.3:99/x") && url_is_loopback("http://[::1]/") &&
                url_is_loopback("http://localhost"));
    assert_false(url_is_loopback("http://127.0.0.1.evil.invalid/") || url_is_loopback("http://localhost.invalid/") ||
                 url_is_loopback("http://a/127.0.0.1"));
}

static void reads_endpoints(void **state) {
    static const struct {
        const char *row, *said;
    } wrong[] = {
        {"a b,a,https://x/,,,GET,,,,,,1,1,", "a name is made of"},
        {"a,../x,https://x/,,,GET,,,,,,1,1,", "a name is made of"},
        {"a,a,file:///etc/passwd,,,GET,,,,,,1,1,", "expected an address"},
        {"a,a,https://x/,,,PUT,,,,,,1,1,", "allowed: GET, POST"},
        {"a,a,https://x/,,,GET,,basic,K,required,,1,1,", "allowed: empty, bearer"},
        {"a,a,https://x/,,,GET,,bearer,K,,,1,1,", "allowed: required, optional"},
        {"a,a,https://x/,,,GET,,,,,token:x,1,1,", "allowed: empty, link"},
        {"a,a,https://x/,,,GET,,,,,,99999,1,", "max_mb"},
    };
    struct err err = {0};
    struct endpoints *e = endpoints_load(&err);
    (void)state;
    assert_non_null(e);
    const struct endpoint *lambda = endpoints_find(e, "lambda", NULL), *vultr = endpoints_find(e, "vultr", NULL);
    assert_int_equal(lambda->auth, AUTH_BEARER);
    assert_string_equal(lambda->key_env, "LAMBDA_API_KEY");
    assert_int_equal(vultr->paging, PAGING_TOKEN);
    assert_string_equal(vultr->paging_path, "meta.links.next");
    assert_string_equal(vultr->paging_argument, "cursor");
    assert_null(endpoints_find(e, "lamda", &err));
    assert_non_null(strstr(err.text, "did you mean \"lambda\""));
    for (size_t i = 0; i < endpoints_count(e); i++) /* where each is from is part of the data */
        assert_true(*endpoints_at(e, i)->origin != '\0');
    endpoints_free(e);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct buf b = {0};
        char line[640];
        buf_printf(&b,
                   "endpoint,source,url,each,version_url,method,body,auth,key_env,key_need,paging,max_mb,changes_h,"
                   "origin\n%s\n",
                   wrong[i].row);
        data_overlay("endpoints.csv", b.data, b.len);
        assert_null(endpoints_load(&err));
        err_format(&err, line, sizeof line);
        assert_non_null(strstr(line, wrong[i].said));
        buf_free(&b);
    }
    data_overlay_clear();
}

/* ---- children ---- */

static void says_something(void *user, int fd) {
    io_child_say(fd, '=', user);
}

static void crashes(void *user, int fd) {
    (void)user;
    io_child_write(fd, "half", 4);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void hears_children(void **state) {
    struct io_child c = {0};
    struct io_extract x = {"{\"a\": {\"b\": [1, 2, 3], \"c\": \"t\"}}", "a.b", 33};
    static char word[] = "word";
    (void)state;
    assert_false(io_child_read(&c)); /* never started */
    assert_true(io_child_start(&c, says_something, word, NULL));
    while (io_child_read(&c))
        continue;
    assert_string_equal(c.out.data, "=word\n");
    io_child_free(&c);
    assert_true(io_child_start(&c, crashes, NULL, NULL));
    while (io_child_read(&c))
        continue;
    assert_string_equal(c.out.data, "half");
    io_child_free(&c);
    static const char *const paths[] = {"a.b", "a.c", "a.x", "a.b.c"}, *const found[] = {"=3\n", "=t\n", "-\n", "-\n"};
    for (int i = 0; i < 4; i++) {
        x.path = paths[i];
        assert_true(io_child_start(&c, io_extract_run, &x, NULL));
        while (io_child_read(&c))
            continue;
        assert_string_equal(c.out.data, found[i]);
        io_child_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_in_addresses),
        cmocka_unit_test(follows_pages_on_the_same_host),
        cmocka_unit_test(reads_endpoints),
        cmocka_unit_test(hears_children),
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(leaves_no_temporary_file),
        cmocka_unit_test(replaces_the_target_of_a_link),
        cmocka_unit_test(unpacks),
        cmocka_unit_test(visits_members_of_a_zip),
        cmocka_unit_test(refuses_what_is_too_large_or_no_file),
        cmocka_unit_test(gives_pages_back),
        cmocka_unit_test(finds_xdg_places),
        cmocka_unit_test(makes_folders),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
