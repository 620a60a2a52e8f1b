"""Runs a command on a pseudo-terminal: `on_a_terminal.py STEPS COMMAND …`. STEPS is JSON: pairs of a text to wait for
and the keys to press then. Prints JSON: the command's exit code, and everything that the terminal showed."""
import json
import os
import pty
import select
import sys
import time

LIMIT_SECONDS = 60

steps, command = json.loads(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)

shown, seen, end = b"", 0, time.monotonic() + LIMIT_SECONDS
while True:
    left = end - time.monotonic()
    if left <= 0:
        os.kill(child, 9)
        break
    if not select.select([terminal], [], [], left)[0]:
        continue
    try:
        shown += os.read(terminal, 65536)
    except OSError:  # The command has ended.
        break
    while steps and (at := shown.find(steps[0][0].encode(), seen)) >= 0:
        text, keys = steps.pop(0)
        seen = at + len(text.encode())
        os.write(terminal, keys.encode())

_, status = os.waitpid(child, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "shown": shown.decode(), "left": steps}))
