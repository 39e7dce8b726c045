"""A system that lacks what POSIX has, as Windows does: a program to run before another in a process of its own.

It is not Windows: paths, file locks and what may be renamed while it is open stay those of the machine that runs it.
"""

MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "readline", "syslog")
"""Modules of the standard library that Windows does not have."""

OF_OS = (
    "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_CLOEXEC", "O_SYNC", "fork", "forkpty", "getuid", "geteuid", "getgid",
    "getegid", "getgroups", "fchmod", "fchown", "chown", "fdatasync", "statvfs", "sysconf", "sched_getaffinity",
    "setpriority", "getpriority", "nice", "mkfifo", "pread", "pwrite", "setsid", "killpg", "getpgid", "uname",
    "posix_fallocate", "posix_fadvise", "sync",
)  # fmt: skip
"""What its os lacks."""

OF_SIGNAL = ("SIGKILL", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD", "alarm", "setitimer")

PROGRAM = f"""
import builtins, os, signal, sys, types

def without(module, names):
    return types.SimpleNamespace(**{{k: v for k, v in vars(module).items() if k not in names}})

lesser = {{"os": without(os, {OF_OS!r}), "signal": without(signal, {OF_SIGNAL!r})}}
true = builtins.__import__

def imported(name, globals=None, locals=None, fromlist=(), level=0):
    if level == 0 and str((globals or {{}}).get("__name__", "")).partition(".")[0] in ("altmas", "__main__"):
        if name in {MODULES!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        if name in lesser:
            return lesser[name]
    return true(name, globals, locals, fromlist, level)

builtins.__import__ = imported
"""
"""Only our own modules, and what follows in the same program, find nothing: other people's know where they are."""
