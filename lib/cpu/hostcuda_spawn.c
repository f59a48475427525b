/* SPDX-License-Identifier: MIT */
/* A program is started in a process group of its own, so that all it has started
 * itself ends with it when its time runs out. Its standard error is a pipe that
 * is read until it closes; what does not fit is read and dropped.
 *
 * A shell starts it and tells its status through a second pipe: what waitpid() tells may be
 * taken by the using program's handler of SIGCHLD, and is lost where that is ignored. */
#define _GNU_SOURCE
#include "hostcuda_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MAX_LOG = 256 * 1024, SAYS = 3, NOTHING = -1, NO_MEMORY = -2 };

static long long now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads the pipe until it closes; 0 when the time ran out first. */
static int drain(int fd, ga_str *log, long long end)
{
  char buf[4096];
  for (;;) {
    long long left = end - now_ms();
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (left <= 0) return 0;
    int n = poll(&p, 1, left > 60000 ? 60000 : (int)left);
    if (n < 0 && errno != EINTR) return 1;
    if (n <= 0) continue;
    ssize_t got = read(fd, buf, sizeof buf);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 1;
    if (log != NULL && log->len < MAX_LOG) ga_str_addn(log, buf, (size_t)got);
  }
}

/* The status that was told, or NOTHING, or NO_MEMORY to hear it. */
static int told(int fd, long long end)
{
  ga_str s = {0};
  int whole = drain(fd, &s, end) && s.len > 0 && s.s[s.len - 1] == '\n';
  int status = whole ? atoi(s.s) : s.failed ? NO_MEMORY : NOTHING;
  ga_str_clear(&s);
  return status;
}

/* Above the numbers that the child's have, whichever of those this process has closed. */
static int make_pipe(int ends[2])
{
  int low[2];
  if (pipe2(low, O_CLOEXEC) != 0) return 0;
  for (int i = 0; i < 2; i++) ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, SAYS + 1);
  int saved = errno, ok = ends[0] >= 0 && ends[1] >= 0;
  for (int i = 0; i < 2; i++) {
    close(low[i]);
    if (!ok && ends[i] >= 0) close(ends[i]);
  }
  errno = saved;
  return ok;
}

static int set_files(posix_spawn_file_actions_t *a, const char *out, int log, int says)
{
  if (out == NULL) out = "/dev/null";
  int err = posix_spawn_file_actions_addopen(a, 0, "/dev/null", O_RDONLY, 0);
  if (err == 0)
    err = posix_spawn_file_actions_addopen(a, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (err == 0) err = posix_spawn_file_actions_adddup2(a, log, 2);
  return err == 0 ? posix_spawn_file_actions_adddup2(a, says, SAYS) : err;
}

static int spawn(pid_t *pid, char *const *words, const char *out, int log, int says)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  sigset_t none, child;
  sigemptyset(&none);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  if (posix_spawnattr_init(&attr) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return ENOMEM;
  }
  posix_spawnattr_setflags(&attr,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attr, 0);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setsigdefault(&attr, &child);
  int err = set_files(&actions, out, log, says);
  if (err == 0) err = posix_spawn(pid, words[0], &actions, &attr, words, environ);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&actions);
  return err;
}

/* The shell's own words and those of the program. */
static int start(pid_t *pid, char *const *argv, const char *out, int log, int says)
{
  static char *const shell[] = {"/bin/sh", "-c", "\"$@\" 3>&-; echo $? >&3", "sh"};
  enum { OWN = sizeof shell / sizeof *shell };
  size_t n = OWN + 1;
  for (int i = 0; argv[i] != NULL; i++) n++;
  char **words = malloc(n * sizeof *words);
  if (words == NULL) return ga_error_memory("compile", n * sizeof *words);
  memcpy(words, shell, sizeof shell);
  memcpy(words + OWN, argv, (n - OWN) * sizeof *words);
  errno = spawn(pid, words, out, log, says);
  int err = errno != 0 ? ga_error_sys("compile: a shell for", argv[0]) : GA_NO_ERROR;
  free(words);
  return err;
}

int ga_hc_spawn(int *status, char *const *argv, const char *out, ga_str *log, unsigned int seconds)
{
  int logs[2], says[2];
  pid_t pid;
  long long end = now_ms() + 1000ll * seconds;
  if (!make_pipe(logs)) return ga_error_sys("compile", "pipe");
  if (!make_pipe(says)) {
    close(logs[0]);
    close(logs[1]);
    return ga_error_sys("compile", "pipe");
  }
  int err = start(&pid, argv, out, logs[1], says[1]);
  close(logs[1]);
  close(says[1]);
  *status = err == 0 && drain(logs[0], log, end) ? told(says[0], end) : NOTHING;
  close(logs[0]);
  close(says[0]);
  if (err != GA_NO_ERROR) return err;
  if (*status < 0) kill(-pid, SIGKILL);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
  }
  if (*status >= 0) return GA_NO_ERROR;
  if (now_ms() >= end)
    return ga_error(GA_RUN_ERROR, "compile: %s was not done after %u seconds", argv[0], seconds);
  if (*status == NO_MEMORY) return ga_error_memory("compile", sizeof "255\n");
  errno = EAGAIN; /* the shell ended without a word, as it does where it cannot fork */
  return ga_error_sys("compile: a shell for", argv[0]);
}
