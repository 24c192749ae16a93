/* SPDX-License-Identifier: MIT */
/* --help, the manual page and the completions: all from the tables of options and commands. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"

enum { HELP_COLUMN = 28 };

static bool belongs(const struct option_def *o, enum command_id command) {
    return o->id != OPTION_GENERATE && o->commands >> command & 1;
}

static void put_option(struct buf *b, const struct option_def *o, const struct style *style) {
    struct buf head = {0}, text = {0};
    if (o->letter)
        buf_printf(&head, "  -%c, --%s", o->letter, o->name);
    else
        buf_printf(&head, "      --%s", o->name);
    if (o->argument)
        buf_printf(&head, " %s", _(o->argument));
    buf_puts(&text, _(o->help));
    for (int i = 0; o->words && o->words[i]; i++)
        buf_printf(&text, "%s%s", i ? ", " : ": ", o->words[i]);
    buf_puts(b, head.data);
    int width = text_width(head.data);
    if (width + 2 > HELP_COLUMN) {
        buf_putc(b, '\n');
        width = 0;
    }
    buf_pad(b, ' ', (size_t)(HELP_COLUMN - width));
    struct style inner = *style;
    inner.width = style->width > HELP_COLUMN + 20 ? style->width - HELP_COLUMN : 40;
    struct buf wrapped = {0};
    style_wrap(&wrapped, &inner, text.data, 0);
    for (const char *s = wrapped.data; *s; s++) {
        buf_putc(b, *s);
        if (*s == '\n' && s[1])
            buf_pad(b, ' ', HELP_COLUMN);
    }
    buf_free(&wrapped);
    buf_free(&head);
    buf_free(&text);
}

static void put_commands(struct buf *b) {
    for (int i = COMMAND_RANK; i < COMMAND_COUNT; i++) {
        const struct command_def *d = &command_table()[i];
        struct buf head = {0};
        buf_printf(&head, "  gpuplan %s %s", d->name, *d->arguments ? _(d->arguments) : "");
        buf_puts(b, head.data);
        int pad = HELP_COLUMN - text_width(head.data);
        buf_pad(b, ' ', (size_t)(pad > 1 ? pad : 1));
        buf_printf(b, "%s\n", _(d->summary));
        buf_free(&head);
    }
}

int help_print(struct cli *c) {
    const struct command_def *d = c->args.command;
    struct buf b = {0};
    style_wrap(&b, &c->style,
               d->id == COMMAND_SCREEN ? _("gpuplan says which GPU machine to rent, how many GPUs, split which way, "
                                           "and what it takes in hours and dollars.")
                                       : _(d->about),
               0);
    if (d->id == COMMAND_SCREEN) {
        buf_printf(&b, "\n%s\n", _("Commands:"));
        put_commands(&b);
    } else {
        buf_printf(&b, "\n%s gpuplan %s %s\n", _("Usage:"), d->name, *d->arguments ? _(d->arguments) : "");
    }
    buf_printf(&b, "\n%s\n", _("Options:"));
    for (int i = 0; i < OPTION_COUNT; i++)
        if (belongs(&option_table()[i], d->id))
            put_option(&b, &option_table()[i], &c->style);
    if (d->id == COMMAND_SCREEN) {
        buf_putc(&b, '\n');
        style_wrap(
            &b, &c->style,
            _("Exit status: 0 done; 1 nothing fits; 2 wrong use or unreadable data; 3 network; 130 interrupted."), 0);
        buf_puts(&b, "\n  gpuplan rank -s preset=qlora-70b -s deadline_h=24\n");
        buf_puts(&b, "  gpuplan rank -l offers.csv -w job.json -f 'gpus<=4 and name~h100' --format json\n");
    }
    int status = cli_write(c, &b, STATUS_DONE);
    buf_free(&b);
    return status;
}

/* ---- manual page (always English) ---- */

/* Escaped for roff, in lines of at most 72 characters; no line may begin with a control character. */
static void roff(struct buf *b, const char *s) {
    static const size_t longest = 72;
    size_t start = b->len;
    while (start > 0 && b->data[start - 1] != '\n')
        start--;
    if (b->len == start && (*s == '.' || *s == '\''))
        buf_puts(b, "\\&");
    for (; *s; s++) {
        size_t word = strcspn(s + 1, " ");
        if (*s == ' ' && b->len - start + word > longest && s[1] != '.' && s[1] != '\'') {
            buf_putc(b, '\n');
            start = b->len;
        } else if (*s == '\\') {
            buf_puts(b, "\\e");
        } else if (*s == '-') {
            buf_puts(b, "\\-");
        } else {
            buf_putc(b, *s);
        }
    }
}

/* Commands an option is for, where it is not for the ranking. */
static void man_places(struct buf *text, const struct option_def *o) {
    const char *separator = " (";
    if (o->commands >> COMMAND_RANK & 1)
        return;
    for (int i = COMMAND_RANK; i < COMMAND_COUNT; i++)
        if (o->commands >> i & 1) {
            buf_printf(text, "%s%s", separator, command_table()[i].name);
            separator = ", ";
        }
    buf_putc(text, ')');
}

static void man_option(struct buf *b, const struct option_def *o) {
    struct buf text = {0};
    buf_puts(b, ".TP\n");
    if (o->letter)
        buf_printf(b, "\\fB\\-%c\\fR, ", o->letter);
    buf_puts(b, "\\fB\\-\\-");
    roff(b, o->name);
    buf_puts(b, "\\fR");
    if (o->argument)
        buf_printf(b, " \\fI%s\\fR", o->argument);
    buf_putc(b, '\n');
    buf_puts(&text, o->help);
    for (int i = 0; o->words && o->words[i]; i++)
        buf_printf(&text, "%s%s", i ? ", " : ": ", o->words[i]);
    man_places(&text, o);
    roff(b, text.data);
    buf_putc(b, '\n');
    buf_free(&text);
}

static const char *const man_head = ".TH GPUPLAN 1 2026-03-22 gpuplan \"User Commands\"\n"
                                    ".SH NAME\n"
                                    "gpuplan \\- rank GPU rental offers for a training or inference job\n"
                                    ".SH SYNOPSIS\n"
                                    ".B gpuplan\n"
                                    "[\\fICOMMAND\\fR] [\\fIOPTION\\fR]...\n"
                                    ".SH DESCRIPTION\n"
                                    "gpuplan reads machine listings, takes a workload and says which machine\n"
                                    "to rent, how many of its GPUs to use, how to split the work between\n"
                                    "them, and what it takes in hours and dollars.\n"
                                    "Memory is checked on every GPU for a named layout and never added up;\n"
                                    "more than one GPU needs a reason; every number is a range; what a\n"
                                    "listing does not state is unknown and named.\n"
                                    "Without a command the interface opens; where there is no terminal the\n"
                                    "ranking is printed. Listings may be piped in: keys then come from the\n"
                                    "terminal.\n";
static const char *const man_tail = ".SH EXIT STATUS\n"
                                    ".TP\n.B 0\nSomething was ranked, or the command did its work.\n"
                                    ".TP\n.B 1\nNothing fits.\n"
                                    ".TP\n.B 2\nWrong use, unreadable data, or no GPU offer found.\n"
                                    ".TP\n.B 3\nNetwork.\n"
                                    ".TP\n.B 130\nInterrupted.\n"
                                    ".SH FILES\n"
                                    ".TP\n.I $XDG_DATA_HOME/gpuplan/data\n"
                                    "Tables that add to or replace rows of the built\\-in ones;\n"
                                    "\\fB\\-\\-data\\fR names another folder.\n"
                                    ".TP\n.I $XDG_DATA_HOME/gpuplan/sources\n"
                                    "Mapping files (*.json) that say how listings of a new kind are read;\n"
                                    "also \\fIsources\\fR in a \\fB\\-\\-data\\fR folder.\n"
                                    ".SH ENVIRONMENT\n"
                                    ".TP\n.B COLUMNS\nWidth of tables.\n"
                                    ".TP\n.B NO_COLOR\nNo colours, if not empty.\n"
                                    ".SH EXAMPLES\n"
                                    ".nf\n"
                                    "gpuplan rank \\-s preset=qlora\\-70b \\-s deadline_h=24\n"
                                    "gpuplan rank \\-l offers.csv \\-w job.json \\-f \\(aqgpus<=4\\(aq\n"
                                    "gpuplan explain \\-w job.json \\-\\-pick lambda:gpu_8x_a100\n"
                                    "gpuplan fit \\-s preset=serve\\-70b \\-\\-gpu H100\\-SXM5\\-80GB \\-\\-gpus 2\n"
                                    ".fi\n";

static void generate_man(struct buf *b) {
    buf_puts(b, man_head);
    buf_puts(b, ".SH COMMANDS\n");
    for (int i = COMMAND_RANK; i < COMMAND_COUNT; i++) {
        const struct command_def *d = &command_table()[i];
        buf_printf(b, ".TP\n\\fB%s\\fR", d->name);
        if (*d->arguments)
            buf_printf(b, " \\fI%s\\fR", d->arguments);
        buf_putc(b, '\n');
        roff(b, d->about);
        buf_putc(b, '\n');
    }
    buf_puts(b, ".SH OPTIONS\n");
    for (int i = 0; i < OPTION_COUNT; i++)
        if (i != OPTION_GENERATE)
            man_option(b, &option_table()[i]);
    buf_puts(b, man_tail);
}

/* ---- completions ---- */

static void put_topics(struct buf *b) {
    size_t count;
    const char *const *topics = list_topics(&count);
    for (size_t i = 0; i < count; i++)
        buf_printf(b, "%s%s", i ? " " : "", topics[i]);
}

static void put_words(struct buf *b, const char *const *words) {
    for (int i = 0; words[i]; i++)
        buf_printf(b, "%s%s", i ? " " : "", words[i]);
}

static void generate_bash(struct buf *b) {
    buf_puts(b, "# bash completion for gpuplan, made by `gpuplan --generate bash`\n_gpuplan() {\n    local "
                "cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n    case \"$prev\" in\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_def *o = &option_table()[i];
        if (!o->words)
            continue;
        buf_printf(b, "    --%s) mapfile -t COMPREPLY < <(compgen -W \"", o->name);
        put_words(b, o->words);
        buf_puts(b, "\" -- \"$cur\"); return ;;\n");
    }
    buf_puts(b, "    list) mapfile -t COMPREPLY < <(compgen -W \"");
    put_topics(b);
    buf_puts(b, "\" -- \"$cur\"); return ;;\n    esac\n    if [[ $cur == -* ]]; then\n        mapfile -t COMPREPLY < "
                "<(compgen -W \"");
    for (int i = 0; i < OPTION_COUNT; i++)
        buf_printf(b, "%s--%s", i ? " " : "", option_table()[i].name);
    buf_puts(b,
             "\" -- \"$cur\")\n    elif [[ $COMP_CWORD -eq 1 ]]; then\n        mapfile -t COMPREPLY < <(compgen -W \"");
    for (int i = COMMAND_RANK; i < COMMAND_COUNT; i++)
        buf_printf(b, "%s%s", i > COMMAND_RANK ? " " : "", command_table()[i].name);
    buf_puts(b, "\" -- \"$cur\")\n    else\n        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n    "
                "fi\n}\ncomplete -o filenames -F _gpuplan gpuplan\n");
}

static void zsh_text(struct buf *b, const char *s) {
    for (; *s; s++) {
        if (strchr("[]:'\\", *s))
            buf_putc(b, *s == '\'' ? ' ' : '\\');
        if (*s != '\'')
            buf_putc(b, *s);
    }
}

static void generate_zsh(struct buf *b) {
    buf_puts(b, "#compdef gpuplan\n# made by `gpuplan --generate zsh`\n_arguments -s \\\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_def *o = &option_table()[i];
        buf_printf(b, "  '%s--%s%s[", o->repeats ? "*" : "", o->name, o->argument ? "=" : "");
        zsh_text(b, o->help);
        buf_putc(b, ']');
        if (o->words) {
            buf_printf(b, ":%s:(", o->argument);
            put_words(b, o->words);
            buf_putc(b, ')');
        } else if (o->argument) {
            buf_printf(b, ":%s:_files", o->argument);
        }
        buf_puts(b, "' \\\n");
    }
    buf_puts(b, "  '1:command:(");
    for (int i = COMMAND_RANK; i < COMMAND_COUNT; i++)
        buf_printf(b, "%s%s", i > COMMAND_RANK ? " " : "", command_table()[i].name);
    buf_puts(b, ")' \\\n  '*:file:_files'\n");
}

int help_generate(struct cli *c) {
    const char *what = args_text(&c->args, OPTION_GENERATE, "man");
    struct buf b = {0};
    if (strcmp(what, "man") == 0)
        generate_man(&b);
    else if (strcmp(what, "bash") == 0)
        generate_bash(&b);
    else
        generate_zsh(&b);
    int status = cli_write(c, &b, STATUS_DONE);
    buf_free(&b);
    return status;
}
