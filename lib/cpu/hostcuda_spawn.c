/* SPDX-License-Identifier: MIT */
/* A program is started in a process group of its own, so that all it has started
 * itself ends with it when its time runs out. Its standard error is a pipe that
 * is read until it closes; what does not fit is read and dropped. */
#define _GNU_SOURCE
#include "hostcuda_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MAX_LOG = 256 * 1024 };

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

/* Waits for the child itself, which may outlive its pipe. */
static int reap(pid_t pid, int *status, long long end)
{
  for (;;) {
    pid_t r = waitpid(pid, status, WNOHANG);
    if (r == pid || (r < 0 && errno != EINTR)) return r == pid;
    if (now_ms() >= end) return 0;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

static int start(pid_t *pid, char *const *argv, const char *out, int err_fd)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  sigset_t none;
  sigemptyset(&none);
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  if (posix_spawnattr_init(&attr) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return ENOMEM;
  }
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attr, 0);
  posix_spawnattr_setsigmask(&attr, &none);
  int err = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (err == 0)
    err = posix_spawn_file_actions_addopen(&actions, 1, out != NULL ? out : "/dev/null",
                                           O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (err == 0) err = posix_spawn_file_actions_adddup2(&actions, err_fd, 2);
  if (err == 0) err = posix_spawnp(pid, argv[0], &actions, &attr, argv, environ);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&actions);
  return err;
}

int ga_hc_spawn(int *status, char *const *argv, const char *out, ga_str *log, unsigned int seconds)
{
  int fds[2], raw = 0;
  pid_t pid;
  long long end = now_ms() + 1000ll * seconds;
  if (pipe2(fds, O_CLOEXEC) != 0) return ga_error_sys("compile", "pipe");
  int err = start(&pid, argv, out, fds[1]);
  close(fds[1]);
  if (err != 0) {
    close(fds[0]);
    errno = err;
    return ga_error_sys("compile", argv[0]);
  }
  int done = drain(fds[0], log, end);
  close(fds[0]);
  done = done && reap(pid, &raw, end);
  if (!done) {
    kill(-pid, SIGKILL);
    while (waitpid(pid, &raw, 0) < 0 && errno == EINTR) {
    }
    return ga_error(GA_RUN_ERROR, "compile: %s was not done after %u seconds", argv[0], seconds);
  }
  *status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return GA_NO_ERROR;
}
