"""Runs a program that cannot open sockets: `python3 without_network.py PROGRAM [ARGUMENT ...]`.

Untrusted data may take over the program that reads it, and must not reach the network then. A seccomp filter makes the
kernel refuse the calls with EPERM, for the program and everything it starts. That needs no privileges, and works in a
container that may not create a network namespace.
"""

import _signal  # the module signal makes enumerations, which takes longer than everything else
import ctypes
import os
import struct
import sys

# Machine name (uname), architecture number and system calls (linux/audit.h, asm/unistd.h).
MACHINES = {
    "x86_64": (0xC000003E, {"socket": 41, "io_uring_setup": 425}),
    "aarch64": (0xC00000B7, {"socket": 198, "io_uring_setup": 425}),
}
# The x32 numbers of system calls on x86_64 begin here.
X32 = 0x40000000

LOAD, IF_EQUAL, IF_AT_LEAST, ANSWER = 0x20, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000  # REFUSE: with errno 1, EPERM
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2


def filter_of(architecture, calls):
    """The filter as a BPF program. The target of a jump is a number of instructions to skip."""
    refused = [X32, *sorted(calls.values())]
    program = [
        (LOAD, 0, 0, ARCHITECTURE),
        (IF_EQUAL, 1, 0, architecture),
        (ANSWER, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    for place, number in enumerate(refused):
        test = IF_AT_LEAST if number == X32 else IF_EQUAL
        program.append((test, len(refused) - place, 0, number))
    program += [(ANSWER, 0, 0, ALLOW), (ANSWER, 0, 0, REFUSE)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program), len(program)


class Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def close_network():
    machine = os.uname().machine
    if machine not in MACHINES:
        sys.exit(f"without_network.py: no system call numbers are known for {machine}")
    code, length = filter_of(*MACHINES[machine])
    libc = ctypes.CDLL(None, use_errno=True)
    given = ctypes.byref(Program(length, code))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, given, 0, 0):
        sys.exit(f"without_network.py: the kernel refuses the filter: {os.strerror(ctypes.get_errno())}")


close_network()
# Python ignores these two signals, and a program would inherit that.
for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
    _signal.signal(number, _signal.SIG_DFL)
try:
    os.execvp(sys.argv[1], sys.argv[1:])
except OSError as error:
    sys.exit(f"{sys.argv[1]}: {error.strerror}")
