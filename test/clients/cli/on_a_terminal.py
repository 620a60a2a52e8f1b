import pty, os, sys, select, json, time
steps = json.loads(sys.argv[1]); cmd = sys.argv[2:]
pid, fd = pty.fork()
if pid == 0: os.execvp(cmd[0], cmd)
out = b''; seen = 0; end = time.time() + 60
while time.time() < end:
    r, _, _ = select.select([fd], [], [], 0.2)
    if r:
        try: chunk = os.read(fd, 65536)
        except OSError: break
        if not chunk: break
        out += chunk
    if steps:
        at = out.find(steps[0][0].encode(), seen)
        if at >= 0:
            seen = at + len(steps[0][0].encode()); os.write(fd, steps.pop(0)[1].encode())
else: os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
print(json.dumps({'code': os.waitstatus_to_exitcode(status), 'output': out.decode()}))
