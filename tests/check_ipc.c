/* SPDX-License-Identifier: MIT */
/* Memory of one process used by another: one gives handles of its buffers, the other
 * opens them, reads, writes, and closes them; on the GPU under test and, where there
 * are two, from the second one. Skipped (77) on the CPU device. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device.h"

#include "gpuarray.h"
#include "gpuarray/extension.h"

enum { NBUF = 3, N = 1003, TIMEOUT = 60 };

typedef int get_fn(gpudata *, GpuArrayIpcMemHandle *);
typedef gpudata *open_fn(gpucontext *, GpuArrayIpcMemHandle *, size_t);

static const char *side;
static int failures;

#define NEED(what)                                                                                \
  do {                                                                                            \
    if (!(what)) {                                                                                \
      fprintf(stderr, "%s, line %d: %s (%s)\n", side, __LINE__, #what, gpuarray_error_message()); \
      failures++;                                                                                 \
    }                                                                                             \
  } while (0)
#define GOOD(call) NEED((call) == GA_NO_ERROR)

static gpucontext *open_device(const char *name)
{
  gpucontext *ctx = NULL;
  GOOD(gpucontext_init(&ctx, name, NULL));
  if (ctx == NULL) _exit(2);
  return ctx;
}

static int32_t value(int buffer, size_t i, int written)
{
  return buffer * 100000 + (int)i + written;
}

/* Small buffers, which a driver puts into one block of memory. */
static int give(int to, int from)
{
  GpuArrayIpcMemHandle h[NBUF];
  gpucontext *ctx = open_device(test_device());
  gpudata *b[NBUF];
  int32_t x[N];
  char done = 0;
  for (int k = 0; k < NBUF; k++) {
    int err;
    for (size_t i = 0; i < N; i++) x[i] = value(k, i, 0);
    b[k] = gpudata_alloc(ctx, sizeof x, x, GA_BUFFER_INIT, &err);
    GOOD(err);
    if (err == GA_NO_ERROR)
      GOOD(((get_fn *)gpuarray_get_extension("cuda_get_ipc_handle"))(b[k], &h[k]));
  }
  NEED(write(to, h, sizeof h) == (ssize_t)sizeof h);
  NEED(read(from, &done, 1) == 1); /* the other has closed them */
  for (int k = 0; k < NBUF; k++) {
    GOOD(gpudata_read(x, b[k], 0, sizeof x));
    for (size_t i = 0; i < N; i++) NEED(x[i] == value(k, i, i >= 3 ? 7 : 0));
    gpudata_release(b[k]);
  }
  gpucontext_deref(ctx);
  return failures != 0;
}

static int take(const char *device, int to, int from)
{
  GpuArrayIpcMemHandle h[NBUF];
  gpucontext *ctx = open_device(device);
  int32_t x[N];
  NEED(read(from, h, sizeof h) == (ssize_t)sizeof h);
  for (int k = 0; k < NBUF && failures == 0; k++) {
    gpudata *b = ((open_fn *)gpuarray_get_extension("cuda_open_ipc_handle"))(ctx, &h[k], sizeof x);
    NEED(b != NULL);
    if (b == NULL) break;
    GOOD(gpudata_read(x, b, 0, sizeof x));
    for (size_t i = 0; i < N; i++) {
      NEED(x[i] == value(k, i, 0));
      x[i] += 7;
    }
    GOOD(gpudata_write(b, 12, x + 3, sizeof x - 12));
    GOOD(gpudata_sync(b));
    gpudata_release(b);
  }
  gpucontext_deref(ctx);
  NEED(write(to, "d", 1) == 1);
  return failures != 0;
}

static int wait_for(pid_t pid)
{
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return 1;
  if (WIFSIGNALED(status)) fprintf(stderr, "a process died of signal %d\n", WTERMSIG(status));
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static int between(const char *device)
{
  int there[2], back[2], bad;
  pid_t pid[2];
  if (pipe(there) != 0 || pipe(back) != 0) return 1;
  pid[0] = fork();
  if (pid[0] == 0) {
    side = "the giver";
    alarm(TIMEOUT);
    _exit(give(there[1], back[0]));
  }
  pid[1] = fork();
  if (pid[1] == 0) {
    side = "the taker";
    alarm(TIMEOUT);
    _exit(take(device, back[1], there[0]));
  }
  bad = wait_for(pid[0]);
  bad |= wait_for(pid[1]);
  printf("check_ipc: %s to %s: %s\n", test_device(), device, bad ? "wrong" : "right");
  fflush(stdout);
  return bad;
}

/* In a process of its own: the driver does not survive a fork. */
static int count_gpus(void)
{
  pid_t pid = fork();
  int status = 0;
  if (pid == 0) {
    unsigned int n = 0;
    _exit(gpu_get_device_count("cuda", 0, &n) == GA_NO_ERROR && n < 100 ? (int)n : 0);
  }
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int main(void)
{
  int bad;
  if (test_on_cpu()) {
    printf("check_ipc: the CPU device has no handles of memory\n");
    return 77;
  }
  bad = between(test_device());
  if (count_gpus() > 1) bad |= between("cuda1");
  return bad;
}
