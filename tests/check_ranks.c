/* SPDX-License-Identifier: MIT */
/* Collectives over NCCL between two GPUs, one process a rank, and copies from one
 * GPU to the other. Needs two GPUs; skipped (77) where there are fewer.
 *
 * By itself the program forks its ranks, which get the clique's id through a pipe.
 * Started by an MPI launcher (mpirun -np 2 check_ranks, with a file's name in
 * GA_TEST_CLIQUE) it is one rank, and the id comes through that file. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common.h"

#include "gpuarray.h"
#include "gpuarray/collectives.h"

enum { RANKS = 2, N = 1003, TIMEOUT = 100 };

static int rank, failures;

/* Says what went wrong; the rank goes on, so that the other does not wait for it. */
#define NEED(what)                                                          \
  do {                                                                      \
    if (!(what)) {                                                          \
      fprintf(stderr, "rank %d, line %d: %s (%s)\n", rank, __LINE__, #what, \
              gpuarray_error_message());                                    \
      failures++;                                                           \
    }                                                                       \
  } while (0)
#define GOOD(call) NEED((call) == GA_NO_ERROR)

static gpucontext *open_gpu(int i)
{
  char name[16];
  gpucontext *ctx = NULL;
  snprintf(name, sizeof name, "cuda%d", i);
  GOOD(gpucontext_init(&ctx, name, NULL));
  if (ctx == NULL) _exit(3);
  return ctx;
}

/* ---- collectives --------------------------------------------------------------- */

static const int types[] = {GA_BYTE,  GA_UBYTE, GA_INT,    GA_UINT,  GA_LONG,
                            GA_ULONG, GA_HALF,  GA_BFLOAT, GA_FLOAT, GA_DOUBLE};
enum { NTYPE = sizeof types / sizeof *types };

/* Element i of what rank r gives. */
static int given(int r, size_t i) { return (int)((i * 7 + (size_t)r * 3) % 5) + 1 + r; }

static int joined(int op, size_t i)
{
  int all = given(0, i);
  for (int r = 1; r < RANKS; r++) {
    int x = given(r, i);
    all = op == GA_SUM    ? all + x
          : op == GA_PROD ? all * x
          : op == GA_MAX  ? (all > x ? all : x)
                          : (all < x ? all : x);
  }
  return all;
}

/* `n` elements of what this rank gives, after `skip` elements that are not. */
static GpuArray source(gpucontext *ctx, int type, size_t skip, size_t n)
{
  GpuArray x = {0}, a = {0};
  int *v = calloc(skip + n, sizeof *v);
  for (size_t i = 0; i < n; i++) v[skip + i] = given(rank, i);
  GOOD(GpuArray_fromhost(&x, ctx, GA_INT, GA_DIMS(skip + n), v));
  GOOD(GpuArray_cast(&a, &x, type));
  GpuArray_clear(&x);
  free(v);
  return a;
}

static GpuArray room(gpucontext *ctx, int type, size_t n)
{
  GpuArray a = {0};
  GOOD(GpuArray_zeros(&a, ctx, type, GA_DIMS(n), GA_C_ORDER));
  return a;
}

/* Element i of `a` from `skip` on is want(op, i + from); says so for the first that
 * is not. `op` below 0: what rank i / N gave; -2 - r: what rank r gave. */
static void expect(const char *what, GpuArray *a, size_t skip, size_t n, int op, size_t from)
{
  size_t size = a->dimensions[0];
  double *got = calloc(size, sizeof *got);
  GOOD(GpuArray_tohost(got, size * sizeof *got, GA_DOUBLE, a));
  for (size_t i = 0; i < n; i++) {
    int want = op >= 0    ? joined(op, i + from)
               : op == -1 ? given((int)(i / N), i % N)
                          : given(-2 - op, i);
    if (got[skip + i] == want) continue;
    fprintf(stderr, "rank %d: %s of %s, operation %d: element %zu is %g, expected %d\n", rank, what,
            gpuarray_typename(a->typecode), op, i, got[skip + i], want);
    failures++;
    break;
  }
  free(got);
}

/* Buffers, from an offset of three elements on. */
static void run_buffers(gpucontext *ctx, gpucomm *comm, int type, int op)
{
  size_t off = 3 * gpuarray_get_elsize(type);
  GpuArray s = source(ctx, type, 3, RANKS * N), d = room(ctx, type, 3 + RANKS * N);
  GOOD(gpucomm_all_reduce(s.data, off, d.data, off, N, type, op, comm));
  expect("all_reduce", &d, 3, N, op, 0);
  GOOD(GpuArray_memset(&d, 0));
  GOOD(gpucomm_reduce(s.data, off, rank == 1 ? d.data : NULL, off, N, type, op, 1, comm));
  if (rank == 1) expect("reduce", &d, 3, N, op, 0);
  GOOD(gpucomm_reduce_scatter(s.data, off, d.data, off, N, type, op, comm));
  expect("reduce_scatter", &d, 3, N, op, (size_t)rank * N);
  if (op == GA_SUM) {
    GOOD(gpucomm_all_gather(s.data, off, d.data, off, N, type, comm));
    expect("all_gather", &d, 3, RANKS * N, -1, 0);
    GOOD(gpucomm_broadcast(s.data, off, N, type, 1, comm));
    expect("broadcast", &s, 3, N, -3, 0);
  }
  GpuArray_clear(&s);
  GpuArray_clear(&d);
}

static void run_arrays(gpucontext *ctx, gpucomm *comm, int type, int op)
{
  GpuArray s = source(ctx, type, 0, N), d = room(ctx, type, N), all = room(ctx, type, RANKS * N),
           many = source(ctx, type, 0, RANKS * N);
  GOOD(GpuArray_all_reduce(&s, &d, op, comm));
  expect("GpuArray_all_reduce", &d, 0, N, op, 0);
  GOOD(GpuArray_memset(&d, 0));
  if (rank == 0) {
    GOOD(GpuArray_reduce(&s, &d, op, 0, comm));
    expect("GpuArray_reduce", &d, 0, N, op, 0);
  } else {
    GOOD(GpuArray_reduce_from(&s, op, 0, comm));
  }
  GOOD(GpuArray_reduce_scatter(&many, &d, op, comm));
  expect("GpuArray_reduce_scatter", &d, 0, N, op, (size_t)rank * N);
  GOOD(GpuArray_all_gather(&s, &all, comm));
  expect("GpuArray_all_gather", &all, 0, RANKS * N, -1, 0);
  GOOD(GpuArray_broadcast(&s, 0, comm));
  expect("GpuArray_broadcast", &s, 0, N, -2, 0);
  GpuArray_clear(&s);
  GpuArray_clear(&d);
  GpuArray_clear(&all);
  GpuArray_clear(&many);
}

/* 4.8 GB a rank: every element is 1 and becomes 2. */
static void run_large(gpucontext *ctx, gpucomm *comm)
{
  GpuArray a = {0}, m = {0};
  float low = 0, high = 0;
  size_t n = 1200000007;
  GOOD(GpuArray_full(&a, ctx, GA_FLOAT, GA_DIMS(n), 1));
  GOOD(GpuArray_all_reduce(&a, &a, GA_SUM, comm));
  GOOD(GpuArray_min(&m, &a));
  GOOD(GpuArray_read(&low, sizeof low, &m));
  GpuArray_clear(&m);
  GOOD(GpuArray_max(&m, &a));
  GOOD(GpuArray_read(&high, sizeof high, &m));
  GpuArray_clear(&m);
  if (low != 2 || high != 2) fprintf(stderr, "rank %d: large: %g to %g\n", rank, low, high);
  NEED(low == 2 && high == 2);
  GpuArray_clear(&a);
}

static void run_rank(gpucontext *ctx, gpucommCliqueId id)
{
  gpucomm *comm = NULL;
  int n = 0, r = -1;
  GOOD(gpucomm_new(&comm, ctx, id, RANKS, rank));
  if (comm == NULL) return;
  GOOD(gpucomm_get_count(comm, &n));
  GOOD(gpucomm_get_rank(comm, &r));
  NEED(n == RANKS && r == rank && gpucomm_context(comm) == ctx);
  for (int t = 0; t < NTYPE; t++)
    for (int op = GA_SUM; op <= GA_MIN; op++) {
      run_buffers(ctx, comm, types[t], op);
      run_arrays(ctx, comm, types[t], op);
    }
  run_large(ctx, comm);
  gpucomm_free(comm);
}

/* ---- copies -------------------------------------------------------------------- */

static void check_copy(gpucontext *to, gpucontext *from, int type, size_t n)
{
  GpuArray a = source(from, type, 0, n), b = {0};
  double x[2] = {0}, y[2] = {0};
  GpuArray ends = {0};
  GOOD(GpuArray_zeros(&b, to, type, GA_DIMS(n), GA_C_ORDER));
  GOOD(GpuArray_transfer(&b, &a));
  GOOD(GpuArray_memset(&a, 0)); /* after the copy has read it */
  GOOD(GpuArray_slice(&ends, &b, "::999"));
  GOOD(GpuArray_tohost(x, sizeof x, GA_DOUBLE, &ends));
  NEED(x[0] == given(rank, 0) && x[1] == given(rank, 999));
  GpuArray_clear(&ends);
  expect("transfer", &b, 0, n, -2 - rank, 0);
  GOOD(gpudata_transfer(a.data, 0, b.data, gpuarray_get_elsize(type), gpuarray_get_elsize(type)));
  GOOD(GpuArray_slice(&ends, &a, ":2"));
  GOOD(GpuArray_tohost(y, sizeof y, GA_DOUBLE, &ends));
  NEED(y[0] == given(rank, 1) && y[1] == 0);
  GpuArray_clear(&ends);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

/* 5 GB, again and again into one buffer while its source changes. */
static void check_large_copy(gpucontext *to, gpucontext *from)
{
  GpuArray a = {0}, b = {0}, m = {0};
  uint32_t x = 0;
  size_t n = 1250000003;
  GOOD(GpuArray_empty(&a, from, GA_UINT, GA_DIMS(n), GA_C_ORDER));
  GOOD(GpuArray_empty(&b, to, GA_UINT, GA_DIMS(n), GA_C_ORDER));
  for (int k = 1; k <= 3; k++) {
    GOOD(GpuArray_memset(&a, k));
    GOOD(GpuArray_transfer(&b, &a));
    GOOD(GpuArray_memset(&a, 0));
    GOOD(GpuArray_min(&m, &b));
    GOOD(GpuArray_read(&x, sizeof x, &m));
    NEED(x == (uint32_t)k * 0x01010101u);
    GpuArray_clear(&m);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}

static void run_copies(void)
{
  gpucontext *one = open_gpu(0), *two = open_gpu(1), *cpu = NULL;
  GOOD(gpucontext_init(&cpu, "cpu", NULL));
  for (int t = 0; t < NTYPE; t++) {
    check_copy(one, two, types[t], 1003);
    check_copy(two, one, types[t], 1003);
    check_copy(cpu, two, types[t], 1003);
    check_copy(one, cpu, types[t], 1003);
  }
  check_large_copy(two, one);
  check_large_copy(one, two);
  gpucontext_deref(one);
  gpucontext_deref(two);
  gpucontext_deref(cpu);
}

/* ---- processes ------------------------------------------------------------------- */

/* In a process of its own: the driver does not survive a fork. */
static int count_gpus(void)
{
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    unsigned int n = 0;
    _exit(gpu_get_device_count("cuda", 0, &n) == GA_NO_ERROR && n < 100 ? (int)n : 0);
  }
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return 0;
  return WEXITSTATUS(status);
}

static int fail_status(void)
{
  if (failures != 0) fprintf(stderr, "rank %d: %d failures\n", rank, failures);
  return failures != 0;
}

/* Rank 0 writes the id into the pipe, rank 1 reads it. */
static int forked_rank(int r, const int pipes[2])
{
  gpucommCliqueId id;
  gpucontext *ctx;
  rank = r;
  alarm(TIMEOUT);
  ctx = open_gpu(rank);
  if (rank == 0) {
    GOOD(gpucomm_gen_clique_id(ctx, &id));
    NEED(write(pipes[1], &id, sizeof id) == (ssize_t)sizeof id);
  } else {
    NEED(read(pipes[0], &id, sizeof id) == (ssize_t)sizeof id);
  }
  if (failures == 0) run_rank(ctx, id);
  gpucontext_deref(ctx);
  return fail_status();
}

static int wait_for(pid_t pid)
{
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return 1;
  if (WIFSIGNALED(status)) fprintf(stderr, "a process died of signal %d\n", WTERMSIG(status));
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static int fork_ranks(void)
{
  pid_t pid[RANKS];
  int pipes[2], bad = 0;
  if (pipe(pipes) != 0) return 1;
  for (int r = 0; r < RANKS; r++) {
    pid[r] = fork();
    if (pid[r] == 0) _exit(forked_rank(r, pipes));
  }
  for (int r = 0; r < RANKS; r++) bad |= wait_for(pid[r]);
  close(pipes[0]);
  close(pipes[1]);
  return bad;
}

static int fork_copies(void)
{
  pid_t pid = fork();
  if (pid == 0) {
    alarm(TIMEOUT);
    run_copies();
    _exit(fail_status());
  }
  return wait_for(pid);
}

/* One rank of a launcher's. The file appears whole: it is renamed to its place. */
static int launched_rank(const char *file)
{
  char part[4096];
  gpucommCliqueId id;
  gpucontext *ctx = open_gpu(rank);
  FILE *f = NULL;
  alarm(TIMEOUT);
  if (rank == 0) {
    snprintf(part, sizeof part, "%s.part", file);
    GOOD(gpucomm_gen_clique_id(ctx, &id));
    NEED((f = fopen(part, "wb")) != NULL && fwrite(&id, sizeof id, 1, f) == 1);
    NEED(f != NULL && fclose(f) == 0 && rename(part, file) == 0);
  } else {
    while ((f = fopen(file, "rb")) == NULL) usleep(10000);
    NEED(fread(&id, sizeof id, 1, f) == 1);
    fclose(f);
  }
  run_rank(ctx, id);
  gpucontext_deref(ctx);
  return fail_status();
}

static int launched_as(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (getenv(names[i]) != NULL) return atoi(getenv(names[i]));
  return -1;
}

int main(void)
{
  const char *file = getenv("GA_TEST_CLIQUE");
  int gpus = count_gpus(), bad;
  if (gpus < RANKS) {
    printf("check_ranks: needs %d GPUs, found %d\n", RANKS, gpus);
    return 77;
  }
  rank = launched_as();
  if (rank >= 0 && file != NULL) return launched_rank(file);
  rank = 0; /* of what is copied */
  bad = fork_ranks();
  printf("check_ranks: collectives between %d processes: %s\n", RANKS, bad ? "wrong" : "right");
  if (fork_copies()) bad = 1;
  printf("check_ranks: %s\n", bad ? "failed" : "all right");
  return bad;
}
