/* SPDX-License-Identifier: MIT */
/* .npy files through a device: files that NumPy made (tests/data/make_npy.py)
 * are read to the values that made them and written back to the same bytes;
 * what is broken is refused and leaves nothing behind. */
#include "tests/common.h"
#include "tests/device.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpuarray.h"

static gpucontext *ctx;
static char dir[] = "/tmp/check_npy.XXXXXX";

static void setup(void)
{
  ctx = test_context();
  ck_assert_ptr_nonnull(mkdtemp(dir));
}

static const char *in_dir(const char *name)
{
  static char path[2][512];
  static int turn;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
  return path[turn];
}

static int files_in_dir(void)
{
  int n = 0;
  DIR *d = opendir(dir);
  ck_assert_ptr_nonnull(d);
  for (struct dirent *e; (e = readdir(d)) != NULL;) n += e->d_name[0] != '.';
  closedir(d);
  return n;
}

static void teardown(void)
{
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d)) != NULL;)
    if (e->d_name[0] != '.') unlink(in_dir(e->d_name));
  closedir(d);
  rmdir(dir);
  gpucontext_deref(ctx);
}

static const char *data(const char *name)
{
  static char path[512];
  const char *top = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/tests/data/npy/%s.npy", top ? top : ".", name);
  return path;
}

static size_t slurp(const char *path, unsigned char *buf, size_t size)
{
  FILE *f = fopen(path, "rb");
  ck_assert_msg(f != NULL, "%s cannot be opened", path);
  size_t n = fread(buf, 1, size, f);
  fclose(f);
  return n;
}

static void spill(const char *path, const void *buf, size_t n)
{
  FILE *f = fopen(path, "wb");
  ck_assert_ptr_nonnull(f);
  ck_assert_uint_eq(fwrite(buf, 1, n, f), n);
  ck_assert_int_eq(fclose(f), 0);
}

/* ---- files that NumPy made --------------------------------------------------- */

static const struct file {
  const char *name;
  int typecode;
  char kind;
  int same; /* saved again it has the same bytes */
  int fortran;
  unsigned int nd;
  size_t dims[4];
} files[] = {
#define KIND(name, typecode, kind)                                                       \
  {name "_le", typecode, kind, 1, 0, 2, {3, 5, 0, 0}},                                   \
  {                                                                                      \
    name "_be", typecode, kind, sizeof name == 3 && name[1] == '1', 0, 2, { 3, 5, 0, 0 } \
  }
    KIND("b1", GA_BOOL, 'b'),
    KIND("i1", GA_BYTE, 'i'),
    KIND("u1", GA_UBYTE, 'u'),
    KIND("i2", GA_SHORT, 'i'),
    KIND("u2", GA_USHORT, 'u'),
    KIND("i4", GA_INT, 'i'),
    KIND("u4", GA_UINT, 'u'),
    KIND("i8", GA_LONG, 'i'),
    KIND("u8", GA_ULONG, 'u'),
    KIND("f2", GA_HALF, 'f'),
    KIND("f4", GA_FLOAT, 'f'),
    KIND("f8", GA_DOUBLE, 'f'),
    KIND("c8", GA_CFLOAT, 'c'),
    KIND("c16", GA_CDOUBLE, 'c'),
    {"shape_0d", GA_FLOAT, 'f', 1, 0, 0, {0}},
    {"shape_1d", GA_FLOAT, 'f', 1, 0, 1, {7, 0, 0, 0}},
    {"shape_4d", GA_FLOAT, 'f', 1, 0, 4, {2, 1, 3, 2}},
    {"shape_empty", GA_FLOAT, 'f', 1, 0, 3, {3, 0, 2, 0}},
    {"fortran", GA_FLOAT, 'f', 1, 1, 2, {3, 5, 0, 0}},
    {"fortran_be", GA_CDOUBLE, 'c', 0, 1, 3, {2, 3, 4, 0}},
    {"version2", GA_FLOAT, 'f', 0, 0, 2, {3, 5, 0, 0}},
    {"version3", GA_FLOAT, 'f', 0, 0, 2, {3, 5, 0, 0}},
};

/* Element i in C order, as make_npy.py has it. */
static double value(size_t i, char kind)
{
  double x = (double)i;
  if (kind == 'b') return i % 3 == 0;
  if (kind == 'i') return 7 * x - 50;
  if (kind == 'u') return 7 * x;
  return 0.375 * x - 1.5;
}

static void expect_values(const GpuArray *a, char kind)
{
  double got[2 * 64] = {0};
  size_t n = 1, each = kind == 'c' ? 2 : 1;
  for (unsigned int i = 0; i < a->nd; i++) n *= a->dimensions[i];
  ck_assert_uint_le(n, 64);
  OK(GpuArray_tohost(got, n * each * sizeof *got, kind == 'c' ? GA_CDOUBLE : GA_DOUBLE, a));
  for (size_t i = 0; i < n; i++) {
    ck_assert_double_eq(got[each * i], value(i, kind));
    if (kind == 'c') ck_assert_double_eq(got[2 * i + 1], (double)i);
  }
}

START_TEST(numpys_files_are_read_to_their_values)
{
  const struct file *t = &files[_i];
  GpuArray a;
  setup();
  OK(GpuArray_load(&a, ctx, data(t->name)));
  ck_assert_int_eq(a.typecode, t->typecode);
  ck_assert_uint_eq(a.nd, t->nd);
  for (unsigned int i = 0; i < t->nd; i++) ck_assert_uint_eq(a.dimensions[i], t->dims[i]);
  ck_assert_int_eq(GpuArray_IS_F_CONTIGUOUS(&a) && !GpuArray_IS_C_CONTIGUOUS(&a), t->fortran);
  expect_values(&a, t->kind);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(numpys_files_are_written_back_to_the_same_bytes)
{
  const struct file *t = &files[_i];
  unsigned char want[4096], got[4096];
  GpuArray a, b;
  setup();
  OK(GpuArray_load(&a, ctx, data(t->name)));
  OK(GpuArray_save(in_dir("saved.npy"), &a));
  size_t n = slurp(in_dir("saved.npy"), got, sizeof got);
  if (t->same) {
    ck_assert_uint_eq(n, slurp(data(t->name), want, sizeof want));
    ck_assert_mem_eq(got, want, n);
  }
  OK(GpuArray_load(&b, ctx, in_dir("saved.npy")));
  expect_values(&b, t->kind);
  ck_assert_int_eq(files_in_dir(), 1);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  teardown();
}
END_TEST

START_TEST(types_that_arrays_lack_are_named)
{
  static const struct {
    const char *name, *message;
  } t[] = {{"no_longdouble", "dtype '<f16'"},
           {"no_string", "dtype '<U2'"},
           {"no_record", "structured"},
           {"no_date", "dtype '<M8[s]'"}};
  GpuArray a;
  setup();
  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    FAILS(GA_UNSUPPORTED_ERROR, t[i].message, GpuArray_load(&a, ctx, data(t[i].name)));
    ck_assert_ptr_null(a.data);
  }
  teardown();
}
END_TEST

/* ---- what is wrong with a file ------------------------------------------------- */

START_TEST(every_cut_of_a_file_is_refused)
{
  unsigned char bytes[4096];
  GpuArray a;
  setup();
  size_t n = slurp(data("f4_le"), bytes, sizeof bytes);
  for (size_t cut = 0; cut < n; cut++) {
    spill(in_dir("cut.npy"), bytes, cut);
    int err = GpuArray_load(&a, ctx, in_dir("cut.npy"));
    ck_assert_msg(err == GA_VALUE_ERROR, "%zu of %zu bytes: error %d", cut, n, err);
    ck_assert_ptr_null(a.data);
    ck_assert_ptr_null(strchr(gpuarray_error_message(), '\n'));
  }
  FAILS(GA_VALUE_ERROR, "truncated: 59 bytes of data, its shape needs 60",
        GpuArray_load(&a, ctx, in_dir("cut.npy")));
  bytes[n] = 'x'; /* more than the data is not the array's business */
  spill(in_dir("cut.npy"), bytes, n + 1);
  OK(GpuArray_load(&a, ctx, in_dir("cut.npy")));
  expect_values(&a, 'f');
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(a_shape_beyond_the_file_asks_for_no_memory)
{
  char bytes[128];
  GpuArray a;
  setup();
  memset(bytes, ' ', sizeof bytes);
  memcpy(bytes, "\x93NUMPY\1\0\x76\0", 10);
  int n = snprintf(bytes + 10, 118,
                   "{'descr': '<f8', 'fortran_order': False, "
                   "'shape': (1000000000000000000,)}");
  bytes[10 + n] = ' ';
  spill(in_dir("huge.npy"), bytes, sizeof bytes);
  FAILS(GA_VALUE_ERROR, "truncated: 0 bytes", GpuArray_load(&a, ctx, in_dir("huge.npy")));
  teardown();
}
END_TEST

START_TEST(files_that_cannot_be_opened_say_why)
{
  GpuArray a;
  setup();
  FAILS(GA_SYS_ERROR, "No such file", GpuArray_load(&a, ctx, in_dir("none.npy")));
  FAILS(GA_SYS_ERROR, "directory", GpuArray_load(&a, ctx, dir));
  OK(GpuArray_load(&a, ctx, data("f4_le")));
  FAILS(GA_SYS_ERROR, "No such file", GpuArray_save(in_dir("none/x.npy"), &a));
  FAILS(GA_SYS_ERROR, "directory", GpuArray_save(dir, &a));
  ck_assert_int_eq(files_in_dir(), 0);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
  GpuArray a;
  setup();
  if (access("/dev/full", W_OK) == 0) {
    OK(GpuArray_load(&a, ctx, data("f4_le")));
    FAILS(GA_SYS_ERROR, "No space", GpuArray_save("/dev/full", &a));
    GpuArray_clear(&a);
  }
  teardown();
}
END_TEST

START_TEST(null_arguments_are_refused)
{
  GpuArray a = {0};
  setup();
  FAILS(GA_VALUE_ERROR, "argument 1", GpuArray_load(NULL, ctx, "x.npy"));
  FAILS(GA_VALUE_ERROR, "argument 2", GpuArray_load(&a, NULL, "x.npy"));
  FAILS(GA_VALUE_ERROR, "argument 3", GpuArray_load(&a, ctx, NULL));
  FAILS(GA_VALUE_ERROR, "argument 1", GpuArray_save(NULL, &a));
  FAILS(GA_VALUE_ERROR, "argument 2 is NULL", GpuArray_save(in_dir("x.npy"), NULL));
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_save(in_dir("x.npy"), &a));
  ck_assert_int_eq(files_in_dir(), 0);
  teardown();
}
END_TEST

START_TEST(bfloat16_is_refused_and_the_cast_named)
{
  GpuArray a;
  setup();
  OK(GpuArray_zeros(&a, ctx, GA_BFLOAT, GA_DIMS(3), GA_C_ORDER));
  FAILS(GA_UNSUPPORTED_ERROR, "float32(a)", GpuArray_save(in_dir("x.npy"), &a));
  GpuArray_clear(&a);
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT4, GA_DIMS(3), GA_C_ORDER));
  FAILS(GA_UNSUPPORTED_ERROR, "typecode", GpuArray_save(in_dir("x.npy"), &a));
  GpuArray_clear(&a);
  ck_assert_int_eq(files_in_dir(), 0);
  teardown();
}
END_TEST

/* ---- where files go ---------------------------------------------------------------- */

START_TEST(views_are_saved_as_they_read)
{
  static const struct {
    const char *spec;
    size_t first;
  } t[] = {{"::-1, 1::2", 11}, {"1:, :", 5}, {"None, ..., 2", 2}, {"2:2, :", 0}, {"1, 1", 6}};
  GpuArray a, v, b;
  setup();
  OK(GpuArray_load(&a, ctx, data("f4_le")));
  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    float want[32] = {0}, got[32] = {0};
    size_t n = 1;
    OK(GpuArray_slice(&v, &a, t[i].spec));
    OK(GpuArray_save(in_dir("v.npy"), &v));
    OK(GpuArray_load(&b, ctx, in_dir("v.npy")));
    ck_assert_uint_eq(b.nd, v.nd);
    for (unsigned int k = 0; k < v.nd; k++) {
      ck_assert_uint_eq(b.dimensions[k], v.dimensions[k]);
      n *= v.dimensions[k];
    }
    OK(GpuArray_tohost(want, n * sizeof *want, GA_FLOAT, &v));
    OK(GpuArray_tohost(got, n * sizeof *got, GA_FLOAT, &b));
    ck_assert_mem_eq(got, want, n * sizeof *got);
    if (n > 0) ck_assert_double_eq(got[0], value(t[i].first, 'f'));
    GpuArray_clear(&v);
    GpuArray_clear(&b);
  }
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(a_link_stays_and_its_file_is_replaced)
{
  struct stat st;
  GpuArray a, b;
  setup();
  OK(GpuArray_load(&a, ctx, data("f4_le")));
  spill(in_dir("file.npy"), "old", 3);
  ck_assert_int_eq(symlink("file.npy", in_dir("link.npy")), 0);
  OK(GpuArray_save(in_dir("link.npy"), &a));
  ck_assert_int_eq(lstat(in_dir("link.npy"), &st), 0);
  ck_assert(S_ISLNK(st.st_mode));
  OK(GpuArray_load(&b, ctx, in_dir("file.npy")));
  expect_values(&b, 'f');
  ck_assert_int_eq(files_in_dir(), 2);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  teardown();
}
END_TEST

START_TEST(the_mode_follows_the_umask)
{
  struct stat st;
  GpuArray a;
  setup();
  OK(GpuArray_load(&a, ctx, data("f4_le")));
  mode_t old = umask(027);
  OK(GpuArray_save(in_dir("a.npy"), &a));
  umask(old);
  ck_assert_int_eq(stat(in_dir("a.npy"), &st), 0);
  ck_assert_int_eq(st.st_mode & 0777, 0640);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

/* Past one piece of the staging buffer, and through a pipe, whose length is not
 * known beforehand. */
START_TEST(large_arrays_go_through_pipes)
{
  enum { N = 3 * 1000 * 1000 + 1 };
  float *want = malloc(N * sizeof *want), *got = malloc(N * sizeof *got);
  GpuArray a, b;
  setup();
  for (size_t i = 0; i < N; i++) want[i] = (float)i;
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(N), want));
  OK(GpuArray_save(in_dir("a.npy"), &a));
  ck_assert_int_eq(mkfifo(in_dir("pipe"), 0600), 0);
  pid_t child = fork();
  if (child == 0) execl("/bin/cp", "cp", in_dir("a.npy"), in_dir("pipe"), (char *)NULL), _exit(1);
  OK(GpuArray_load(&b, ctx, in_dir("pipe")));
  waitpid(child, NULL, 0);
  OK(GpuArray_tohost(got, N * sizeof *got, GA_FLOAT, &b));
  ck_assert_mem_eq(got, want, N * sizeof *got);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  free(want);
  free(got);
  teardown();
}
END_TEST

/* Any byte but 0 is true, and what is loaded computes as NumPy's True. */
START_TEST(odd_bools_are_true)
{
  unsigned char bytes[4096], got[15];
  GpuArray a;
  setup();
  size_t n = slurp(data("b1_le"), bytes, sizeof bytes);
  memset(bytes + n - 15, 0x82, 15);
  spill(in_dir("b.npy"), bytes, n);
  OK(GpuArray_load(&a, ctx, in_dir("b.npy")));
  OK(GpuArray_tohost(got, sizeof got, GA_BOOL, &a));
  for (int i = 0; i < 15; i++) ck_assert_uint_eq(got[i], 1);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

enum { NFILE = sizeof files / sizeof files[0] };

static const test_case cases[] = {CASE_LOOP(numpys_files_are_read_to_their_values, NFILE),
                                  CASE_LOOP(numpys_files_are_written_back_to_the_same_bytes, NFILE),
                                  CASE(types_that_arrays_lack_are_named),
                                  CASE(every_cut_of_a_file_is_refused),
                                  CASE(a_shape_beyond_the_file_asks_for_no_memory),
                                  CASE(files_that_cannot_be_opened_say_why),
                                  CASE(a_full_disk_is_an_error),
                                  CASE(null_arguments_are_refused),
                                  CASE(bfloat16_is_refused_and_the_cast_named),
                                  CASE(views_are_saved_as_they_read),
                                  CASE(a_link_stays_and_its_file_is_replaced),
                                  CASE(the_mode_follows_the_umask),
                                  CASE(large_arrays_go_through_pipes),
                                  CASE(odd_bools_are_true),
                                  CASE_END};

int main(void) { return test_main("npy", cases); }
