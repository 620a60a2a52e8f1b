"""Starts confined programs for a service, many at once.

Forking a large process takes long and blocks it meanwhile; this process is small. without_network.py starts it, so that
neither it nor the programs can open a socket.

Standard input, JSON lines:
    {"id", "command": [...], "cwd", "limits": {"as", "cpu", "fsize"}, "maxOutputBytes"} starts a program;
    {"id", "kill": true} kills it and everything that it started.
The end of the input kills all programs and ends this process.
Standard output, a JSON line for each program that has ended:
    {"id", "code", "signal", "tooMuchOutput", "stdout": base64, "stderr": its end} or {"id", "notStarted": why}.
"""

import base64
import contextlib
import ctypes
import json
import os
import resource
import selectors
import signal
import subprocess

PIPE_BYTES = 65_536  # the capacity of a pipe
STDERR_TAIL_BYTES = 8192
PR_SET_PDEATHSIG = 1
LIMITS = {"as": resource.RLIMIT_AS, "cpu": resource.RLIMIT_CPU, "fsize": resource.RLIMIT_FSIZE}
FIXED_LIMITS = {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: 256}
NICE = 10  # leaves a busy processor to the service, which answers callers


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"SIG{number}"


class Program:
    """A running program, in its own process group."""

    def __init__(self, order, libc):
        self.id = order["id"]
        self.max_output_bytes = order["maxOutputBytes"]
        self.stdout, self.stderr = bytearray(), bytearray()
        limits = {LIMITS[name]: most for name, most in order["limits"].items()} | FIXED_LIMITS
        launcher = os.getpid()

        def confine():
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != launcher:
                os._exit(1)  # the launcher ended before that
            os.setpgid(0, 0)
            os.nice(NICE)
            for what, most in limits.items():
                resource.setrlimit(what, (most, most))

        # Popen also closes all other files, and restores SIGPIPE and SIGXFSZ, which Python ignores.
        self.process = subprocess.Popen(
            order["command"],
            cwd=order["cwd"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            preexec_fn=confine,
        )
        self.pipes = (self.process.stdout, self.process.stderr)
        for pipe in self.pipes:
            os.set_blocking(pipe.fileno(), False)

    def read(self, pipe):
        """Reads the available output. Returns whether more may come later."""
        some = pipe.read(PIPE_BYTES)
        kept = self.stdout if pipe is self.process.stdout else self.stderr
        kept += some or b""
        del self.stderr[:-STDERR_TAIL_BYTES]
        if len(self.stdout) > self.max_output_bytes:
            self.kill()
        return some != b""

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def has_ended(self):
        # WNOWAIT keeps the process id reserved, for the last kill.
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def result(self):
        """The result of an ended program. Does not wait for others that hold its pipes open."""
        self.kill()
        for pipe in self.pipes:
            self.read(pipe)
            pipe.close()
        code = self.process.wait()
        is_too_much = len(self.stdout) > self.max_output_bytes
        return {
            "id": self.id,
            "code": code if code >= 0 else None,
            "signal": signal_name(-code) if code < 0 else None,
            "tooMuchOutput": is_too_much,
            "stdout": "" if is_too_much else base64.b64encode(self.stdout).decode(),
            "stderr": self.stderr.decode(errors="replace"),
        }


class Launcher:
    def __init__(self):
        self.libc = ctypes.CDLL(None)
        self.selector = selectors.DefaultSelector()
        self.programs = {}
        self.received = b""
        self.has_input = True

    def run(self):
        self.selector.register(0, selectors.EVENT_READ, self.read_orders)
        self.selector.register(pipe_of_ends(), selectors.EVENT_READ, lambda pipe: os.read(pipe, PIPE_BYTES))
        try:
            while self.has_input:
                for key, _ in self.selector.select():
                    if not key.data(key.fileobj):
                        self.selector.unregister(key.fileobj)
                for program in [each for each in self.programs.values() if each.has_ended()]:
                    self.finish(program)
        finally:
            for program in self.programs.values():
                program.kill()

    def read_orders(self, pipe):
        some = os.read(pipe, PIPE_BYTES)
        *lines, self.received = (self.received + some).split(b"\n")
        for line in lines:
            self.obey(json.loads(line))
        self.has_input = some != b""
        return self.has_input

    def obey(self, order):
        if "kill" in order:
            if order["id"] in self.programs:
                self.programs[order["id"]].kill()
            return
        try:
            program = Program(order, self.libc)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            answer({"id": order["id"], "notStarted": str(error)})
            return
        self.programs[program.id] = program
        for pipe in program.pipes:
            self.selector.register(pipe, selectors.EVENT_READ, program.read)

    def finish(self, program):
        del self.programs[program.id]
        for pipe in program.pipes:
            with contextlib.suppress(KeyError):  # it has been read to its end
                self.selector.unregister(pipe)
        answer(program.result())


def pipe_of_ends():
    """A pipe that can be read whenever a child has ended."""
    ends, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    return ends


def answer(message):
    print(json.dumps(message), flush=True)


os.setpgid(0, 0)  # the Ctrl-C that makes the service drain must not reach it
with contextlib.suppress(BrokenPipeError):  # the service has ended
    Launcher().run()
