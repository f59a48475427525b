/* SPDX-License-Identifier: MIT */
/* Packs of kernels: what one machine compiled runs on another that has no compiler,
 * and what is not whole is refused. Two directories stand for two machines. */
#include "tests/cache_place.h"

#define MAGIC_SIZE 16 /* bytes before the first entry */

static char pack[620], elsewhere[540];

/* The other machine: another directory, and no compiler. */
static void go_elsewhere(void)
{
  snprintf(elsewhere, sizeof elsewhere, "%s.2", dir);
  ck_assert(setenv("GPUARRAY_CACHE_DIR", elsewhere, 1) == 0);
  ck_assert(setenv("GPUARRAY_NVRTC", "/nowhere/libnvrtc.so", 1) == 0);
}

static uint64_t pack_all(const char *arch)
{
  uint64_t n, bytes;
  snprintf(pack, sizeof pack, "%s.pack", dir);
  FILE *f = fopen(pack, "wb");
  ck_assert_ptr_nonnull(f);
  OK(gpuarray_cache_pack(f, arch, &n, &bytes));
  ck_assert_int_eq(fclose(f), 0);
  ck_assert_int_eq(n > 0, bytes > 0);
  return n;
}

static int unpack(uint64_t *n, uint64_t *added)
{
  FILE *f = fopen(pack, "rb");
  ck_assert_ptr_nonnull(f);
  int err = gpuarray_cache_unpack(f, n, added);
  fclose(f);
  return err;
}

static size_t pack_size(void)
{
  struct stat st;
  ck_assert_int_eq(stat(pack, &st), 0);
  return (size_t)st.st_size;
}

static void flip(size_t at)
{
  unsigned char byte;
  int fd = open(pack, O_RDWR);
  ck_assert(pread(fd, &byte, 1, (off_t)at) == 1);
  byte ^= 0x10;
  ck_assert(pwrite(fd, &byte, 1, (off_t)at) == 1);
  close(fd);
}

static void remove_all(void)
{
  char cmd[1300];
  snprintf(cmd, sizeof cmd, "rm -rf %s %s", pack, elsewhere);
  ck_assert_int_eq(system(cmd), 0);
  cleanup();
}

START_TEST(packed_kernels_run_without_a_compiler)
{
  uint64_t n, added;
  fresh();
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  ck_assert_int_eq(in_child(child_get, (void *)text_b), 0);
  ck_assert_uint_eq(pack_all(NULL), 2);
  go_elsewhere();
  FAILS(GA_LOAD_ERROR, "/nowhere/libnvrtc.so", get(text_a));
  OK(unpack(&n, &added));
  ck_assert(n == 2 && added == 2);
  OK(get(text_a));
  OK(get(text_b));
  ck_assert_int_eq(compiled(), 2);
  OK(unpack(&n, &added));
  ck_assert(n == 2 && added == 0);
  remove_all();
}
END_TEST

START_TEST(architectures_are_told_apart)
{
  stub_state *s = fresh();
  OK(get(text_a));
  s->cc = 80;
  OK(get(text_a));
  OK(get(text_b));
  ck_assert_uint_eq(pack_all("sm_90"), 1);
  ck_assert_uint_eq(pack_all("sm_80"), 2);
  ck_assert_uint_eq(pack_all("cuda"), 3);
  ck_assert_uint_eq(pack_all(NULL), 3);
  ck_assert_uint_eq(pack_all("cpu"), 0);
  ck_assert_uint_eq(pack_all("sm_8"), 0);
  ck_assert_uint_eq(pack_all("gpuarray"), 0);
  ck_assert_uint_eq(pack_all(""), 0);
  remove_all();
}
END_TEST

/* Whatever is cut off or changed: an error, and every entry that is there is good. */
static void is_refused(const char *what, size_t at)
{
  char cmd[700];
  uint64_t good = 0, n, added;
  snprintf(cmd, sizeof cmd, "rm -rf %s", elsewhere);
  ck_assert_int_eq(system(cmd), 0);
  int err = unpack(&n, &added);
  ck_assert_msg(err == GA_VALUE_ERROR, "%s at %zu: returned %d", what, at, err);
  ck_assert_msg(strstr(gpuarray_error_message(), "cache unpack: ") != NULL, "%s",
                gpuarray_error_message());
  OK(gpuarray_cache_prune(UINT64_MAX, NULL, NULL)); /* removes broken ones */
  OK(gpuarray_cache_usage(&good, NULL, NULL));
  ck_assert_msg(good == n && n == added, "%s at %zu: %d good of %d", what, at, (int)good, (int)n);
}

START_TEST(damaged_packs_are_refused)
{
  fresh();
  OK(get(text_a));
  OK(get(text_b));
  pack_all(NULL);
  go_elsewhere();
  for (size_t at = 0; at < pack_size(); at++) {
    flip(at);
    is_refused("changed", at);
    flip(at);
  }
  for (size_t size = pack_size(); size-- > 0;) {
    ck_assert_int_eq(truncate(pack, (off_t)size), 0);
    is_refused("cut", size);
  }
  remove_all();
}
END_TEST

START_TEST(foreign_streams_are_refused)
{
  static const char *const texts[] = {"", "GAkpack", "GAkernl1",
                                      "#!/bin/sh\necho no pack at all\n"};
  uint64_t n = 7, added = 7;
  fresh();
  OK(get(text_a));
  pack_all(NULL);
  FILE *f = fopen(pack, "ab");
  fputs("more", f);
  fclose(f);
  FAILS(GA_VALUE_ERROR, "behind the end", unpack(&n, &added));
  flip(8);
  FAILS(GA_VALUE_ERROR, "of version 17, needed is 1", unpack(&n, &added));
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    f = fopen(pack, "wb");
    fputs(texts[i], f);
    fclose(f);
    FAILS(GA_VALUE_ERROR, "no pack of kernels", unpack(&n, &added));
    ck_assert(n == 0 && added == 0);
  }
  FAILS(GA_VALUE_ERROR, "argument 1", gpuarray_cache_unpack(NULL, &n, &added));
  FAILS(GA_VALUE_ERROR, "argument 1", gpuarray_cache_pack(NULL, NULL, &n, &added));
  remove_all();
}
END_TEST

/* A size near 2^64 asks for no such memory. */
START_TEST(sizes_that_lie_are_refused)
{
  uint64_t huge = UINT64_MAX - 3;
  fresh();
  OK(get(text_a));
  pack_all(NULL);
  go_elsewhere();
  int fd = open(pack, O_RDWR);
  ck_assert(pwrite(fd, &huge, sizeof huge, MAGIC_SIZE) == sizeof huge);
  close(fd);
  is_refused("size", MAGIC_SIZE);
  remove_all();
}
END_TEST

START_TEST(good_entries_stay_and_bad_ones_are_mended)
{
  char path[1200];
  uint64_t n, added;
  struct stat before, after;
  fresh();
  OK(get(text_a));
  pack_all(NULL);
  only_entry(path);
  ck_assert_int_eq(stat(path, &before), 0);
  OK(unpack(&n, &added));
  ck_assert(n == 1 && added == 0);
  ck_assert(stat(path, &after) == 0 && before.st_ino == after.st_ino);
  ck_assert_int_eq(truncate(path, 50), 0);
  OK(unpack(&n, &added));
  ck_assert(n == 1 && added == 1);
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 1);
  remove_all();
}
END_TEST

START_TEST(broken_entries_are_not_packed)
{
  char path[1200];
  fresh();
  OK(get(text_a));
  only_entry(path);
  OK(get(text_b));
  ck_assert_int_eq(truncate(path, 100), 0);
  ck_assert_uint_eq(pack_all(NULL), 1);
  remove_all();
}
END_TEST

START_TEST(trouble_with_files_is_reported)
{
  uint64_t n;
  fresh();
  OK(get(text_a));
  pack_all(NULL);
  FILE *full = fopen("/dev/full", "wb");
  FAILS(GA_SYS_ERROR, "cache pack", gpuarray_cache_pack(full, NULL, &n, NULL));
  fclose(full);
  FILE *closed = fopen("/dev/null", "wb"); /* cannot be read */
  FAILS(GA_SYS_ERROR, "cache unpack", gpuarray_cache_unpack(closed, &n, NULL));
  fclose(closed);
  setenv("GPUARRAY_CACHE", "off", 1);
  FAILS(GA_UNSUPPORTED_ERROR, "off", unpack(&n, NULL));
  remove_all();
}
END_TEST

static const test_case cases[] = {CASE(packed_kernels_run_without_a_compiler),
                                  CASE(architectures_are_told_apart),
                                  CASE(damaged_packs_are_refused),
                                  CASE(foreign_streams_are_refused),
                                  CASE(sizes_that_lie_are_refused),
                                  CASE(good_entries_stay_and_bad_ones_are_mended),
                                  CASE(broken_entries_are_not_packed),
                                  CASE(trouble_with_files_is_reported),
                                  CASE_END};

int main(void) { return test_main("cache_pack", cases); }
