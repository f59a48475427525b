/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over its corpus: every file, then every file cut short at a
 * few places and with single bits turned, always the same ones. */
#include "tests/fuzz.h"

#include <dirent.h>
#include <string.h>

static int runs;

static void run(const uint8_t *data, size_t size)
{
  uint8_t *copy = malloc(size ? size : 1); /* exactly as long, for sanitizers */
  if (copy == NULL) abort();
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
  runs++;
}

static void vary(uint8_t *data, size_t size)
{
  run(data, size);
  for (size_t cut = size; cut > 0; cut /= 2) run(data, cut - 1);
  size_t step = size / 256 + 1;
  for (size_t i = 0; i < size; i += step) {
    uint8_t bit = (uint8_t)(1u << (i / step * 5 % 8));
    data[i] ^= bit;
    run(data, size);
    data[i] ^= bit;
  }
}

static void run_file(const char *path)
{
  static uint8_t data[1 << 20];
  FILE *f = fopen(path, "rb");
  if (f == NULL) {
    perror(path);
    exit(EXIT_FAILURE);
  }
  size_t size = fread(data, 1, sizeof data, f);
  fclose(f);
  vary(data, size);
}

int main(int argc, char **argv)
{
  char path[4096];
  const char *top = getenv("top_srcdir");
  int files = 0;
  for (int i = 1; i < argc; i++) run_file(argv[i]);
  if (argc > 1) return EXIT_SUCCESS;
  snprintf(path, sizeof path, "%s/tests/corpus/%s", top ? top : ".", fuzz_corpus);
  DIR *d = opendir(path);
  if (d == NULL) {
    perror(path);
    return EXIT_FAILURE;
  }
  size_t n = strlen(path);
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    if (e->d_name[0] == '.') continue;
    snprintf(path + n, sizeof path - n, "/%s", e->d_name);
    run_file(path);
    files++;
  }
  closedir(d);
  printf("%s: %d files, %d runs\n", fuzz_corpus, files, runs);
  return files ? EXIT_SUCCESS : EXIT_FAILURE;
}
