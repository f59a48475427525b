/* SPDX-License-Identifier: MIT */
/* The `gpuarray` command: finds the subcommand and hands its words over. */
#include "tool.h"

#include <errno.h>
#include <string.h>

static const tool_command commands[] = {
    {"eval", "EXPR [NAME=FILE.npy | NAME=NUMBER]... [-o [NAME=]OUT.npy]... [-d DEVICE] [--time]",
     "evaluate an expression; without -o, print the value", cmd_eval},
    {"eval", "-f SCRIPT [-d DEVICE] [--time]", "each line of SCRIPT is the arguments of one eval",
     NULL},
    {"explain", "EXPR [NAME=DTYPE[N,...] | NAME=DTYPE | NAME=NUMBER]... [-o NAME]... [-d DEVICE]",
     "show the kernels that an expression becomes", cmd_explain},
    {"info", "", "show devices, the libraries found, and the kernel cache", cmd_info},
    {"cache", "list | verify | prune [BYTES] | clear", "look after the kernel cache", cmd_cache},
    {"cache", "pack FILE [ARCH] | unpack FILE",
     "carry compiled kernels to a machine that has no compiler", NULL},
};

enum { NCOMMAND = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *f)
{
  fputs("NumPy expressions on arrays of a GPU, or of the CPU where there is none.\n\n", f);
  for (int i = 0; i < NCOMMAND; i++)
    fprintf(f, "  gpuarray %s%s%s\n      %s\n", commands[i].name, *commands[i].usage ? " " : "",
            commands[i].usage, commands[i].summary);
  fputs("  gpuarray --help | --version\n\n"
        "DEVICE is cpu, cuda, cuda0, cuda1, ...; without it the first GPU that works, else\n"
        "the CPU. NUMBER takes its type from its neighbours, as in Python; DTYPE is a NumPy\n"
        "name. Exit status: 0 done, 1 expression or device error, 2 usage or file error.\n\n"
        "  gpuarray eval '(a*10 + 2) * k' a=a.npy k=5 -o r.npy\n",
        f);
}

/* What was printed has reached its place. */
static int flushed(int status)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  return tool_error(TOOL_USAGE, "standard output: %s", strerror(errno));
}

static int is_help(const char *word)
{
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    print_usage(stderr);
    return TOOL_USAGE;
  }
  if (is_help(argv[1]) || strcmp(argv[1], "help") == 0 || (argc > 2 && is_help(argv[2]))) {
    print_usage(stdout);
    return flushed(TOOL_DONE);
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("gpuarray %s\n", gpuarray_version());
    return flushed(TOOL_DONE);
  }
  for (int i = 0; i < NCOMMAND; i++) {
    if (commands[i].run == NULL || strcmp(argv[1], commands[i].name) != 0) continue;
    snprintf(tool_where, sizeof tool_where, "gpuarray %s", argv[1]);
    int status = commands[i].run(argc - 1, argv + 1);
    tool_close_contexts();
    return flushed(status);
  }
  return tool_error(TOOL_USAGE, "there is no subcommand '%s'; gpuarray --help lists them", argv[1]);
}
