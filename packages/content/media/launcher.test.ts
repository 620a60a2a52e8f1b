import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { problemOf } from '#packages/jobs/processing/step-problem.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { until } from '#test/doubles/service/until.ts'
import { ConfinedError } from './confined-error.ts'
import { type ConfinedOptions, Launcher } from './launcher.ts'
import { unreadable } from './unreadable.ts'

describe('a confined program', () => {
  let launcher: Launcher
  // on a busy machine one second of processor time takes much longer
  let cwd: string
  const never = new AbortController().signal
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'confined-'))
    launcher = new Launcher()
  })
  afterEach(async () => {
    await launcher[Symbol.asyncDispose]()
    await rm(cwd, { recursive: true, force: true })
  })

  const sh = (script: string, more: Partial<ConfinedOptions> = {}) =>
    launcher.run('sh', ['-c', script], { cwd, signal: never, timeoutMs: 10_000, ...more })

  const refused = async (running: Promise<unknown>): Promise<ConfinedError> => {
    const error = await failureOf<ConfinedError>(running)
    expect(error).to.be.instanceOf(ConfinedError)
    return error
  }

  /** Resolves when no process with this id is left. A killed one stays until it is reaped. */
  const ended = (pid: number): Promise<unknown> =>
    until('the process has ended', async () =>
      /\) [ZX]/.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')),
    )

  /** Resolves to the process id in a file, once the file exists. */
  const pidIn = async (file: string): Promise<number> => {
    const read = () => readFile(join(cwd, file), 'utf8').catch(() => '')
    await until('the id is written', async () => (await read()).endsWith('\n'))
    return Number(await read())
  }

  it('returns the output of the program, which gets none of our environment', async () => {
    process.env.CONFINED_SECRET = 'secret'
    const { stdout } = await sh('env; cat; pwd')
    delete process.env.CONFINED_SECRET
    expect(stdout.toString()).to.contain(cwd).and.not.contains('secret')
  })

  it('reports an exit code with the end of standard error', async () => {
    const error = await refused(sh('yes noise | head -c 100000 >&2; echo the end >&2; exit 3'))
    expect([error.reason, error.exitCode]).to.deep.equal(['exit', 3])
    expect(error.stderr).to.match(/the end\n$/)
    expect(error.stderr.length).to.be.at.most(8192)
  })

  it('kills the whole group when time is up', async () => {
    const error = await refused(sh('sleep 60 & echo $! > child; wait', { timeoutMs: 3000 }))
    expect(error.reason).to.equal('timeout')
    await ended(Number(await readFile(join(cwd, 'child'), 'utf8')))
  })

  it('kills the whole group on abort, and throws the reason', async () => {
    const abort = new AbortController()
    const running = sh('sleep 60 & echo $! > child; wait', { signal: abort.signal })
    const pid = await pidIn('child')
    abort.abort(new Error('no longer wanted'))
    expect(await running.catch((error) => error.message)).to.equal('no longer wanted')
    await ended(pid)
  })

  it('ends even if a grandchild still holds its output', async () => {
    const { stdout } = await sh('sleep 60 & echo done')
    expect(stdout.toString()).to.equal('done\n')
  })

  it('stops too much output', async () => {
    expect((await refused(sh('yes', { maxOutputBytes: 1000 }))).reason).to.equal('output_too_large')
  })

  it('stops a file that grows too large', async () => {
    const error = await refused(sh('exec head -c 5000000 /dev/zero > big', { maxFileBytes: 1_000_000 }))
    expect(error.reason).to.equal('file_too_large')
    expect((await readFile(join(cwd, 'big'))).length).to.equal(1_000_000)
  })

  it('stops too much memory and too much processor time', async () => {
    const memory = ['-c', 'bytearray(300_000_000)']
    const limits = { cwd, signal: never, timeoutMs: 20_000, maxMemoryBytes: 200_000_000 }
    expect((await refused(launcher.run('python3', memory, limits))).stderr).to.contain('MemoryError')
    expect((await refused(sh('while :; do :; done', { cpuSeconds: 1 }))).reason).to.equal('killed')
  })

  it('lets the program, and what it starts, open no socket', async () => {
    const open = (family: string): string =>
      `python3 -c 'import socket; socket.socket(socket.${family})' 2>&1 | tail -n 1`
    const { stdout } = await sh(['AF_INET', 'AF_INET6', 'AF_UNIX', 'AF_PACKET'].map(open).join('; '))
    const refusals = stdout.toString().trim().split('\n')
    expect(refusals).to.deep.equal(Array(4).fill('PermissionError: [Errno 1] Operation not permitted'))
  })

  it('cannot open one through io_uring or the x32 numbers of system calls either', async () => {
    const call = (number: string): string =>
      `ctypes.CDLL(None, use_errno=True).syscall(${number}, 2, 1, 0), ctypes.get_errno()`
    const [ioUringSetup, socketOfX32] = ['425', '0x40000029']
    const { stdout } = await sh(`python3 -c 'import ctypes; print(${call(ioUringSetup)}, ${call(socketOfX32)})'`)
    expect(stdout.toString().trim()).to.equal('-1 1 -1 1')
  })

  it('leaves a busy processor to the service: its nice value counts in the session of both', async () => {
    // Of a process's stat, the fifth field is its process group, and the sixth its session.
    const { stdout } = await sh("echo $(nice) $(cut -d' ' -f5,6 /proc/$$/stat)")
    const [nice, group, session] = stdout.toString().trim().split(' ')
    const [ownGroup, ownSession] = (await readFile('/proc/self/stat', 'utf8')).split(' ').slice(4)
    expect([nice, session]).to.deep.equal(['10', ownSession])
    expect(group).to.not.equal(ownGroup)
  })

  it('reports a program that does not exist', async () => {
    const running = launcher.run('no-such-program', [], { cwd, signal: never, timeoutMs: 1000 })
    expect((await refused(running)).stderr).to.contain('no-such-program')
  })

  it('gets its arguments unchanged, and returns any bytes', async () => {
    const odd = ['', 'two\nlines', "it's", '\u{1f600}', '\ud800', '-n', '{"id":1}']
    const { stdout } = await launcher.run('printf', ['%s\\0', ...odd], { cwd, signal: never, timeoutMs: 10_000 })
    expect(stdout.toString().split('\0')).to.deep.equal([...odd.map((each) => each.toWellFormed()), ''])
    const bytes = await sh('head -c 3000000 /dev/urandom | tee copy', { maxOutputBytes: 3_000_000 })
    expect(bytes.stdout.equals(await readFile(join(cwd, 'copy')))).to.equal(true)
  })

  it('runs beside many others, each with its own end', async () => {
    const codes = Array.from({ length: 20 }, (_, code) => code)
    // all programs wait until the last one runs
    const meet = (code: number) => (code === 19 ? 'touch met' : 'until test -e met; do sleep 0.2; done')
    const run = (code: number) => sh(`${meet(code)}; echo ${code}; exit ${code}`, { timeoutMs: 60_000 })
    const [first, ...others] = await Promise.all(codes.map((code) => run(code).catch((error) => error)))
    expect(first.stdout.toString()).to.equal('0\n')
    expect(others.map(({ exitCode }) => exitCode)).to.deep.equal(codes.slice(1))
  })

  it('ends with a killed launcher, to be tried again, and the next one runs', async () => {
    const running = refused(sh('echo $PPID > launcher; echo $$ > child; exec sleep 60', { timeoutMs: 60_000 }))
    const child = await pidIn('child')
    process.kill(await pidIn('launcher'), 'SIGKILL')
    const error = await running
    expect(error.reason).to.equal('not_started')
    expect(problemOf(unreadable(error), 'extract')).to.include({ code: 'internal_error', transient: true })
    await ended(child)
    expect((await sh('echo again')).stdout.toString()).to.equal('again\n')
  })

  it('ends when the launcher is disposed of', async () => {
    const running = refused(sh('echo $$ > child; sleep 60', { timeoutMs: 60_000 }))
    const child = await pidIn('child')
    await launcher[Symbol.asyncDispose]()
    expect((await running).reason).to.equal('not_started')
    await ended(child)
    expect(await sh('true').catch((error) => error.message)).to.equal('the launcher has been closed')
  })

  /** Runs a script in another process, as the service does. */
  const service = (script: string): ChildProcess => {
    const code = `
      const { Launcher } = await import('${new URL('./launcher.ts', import.meta.url)}')
      const options = { cwd: '${cwd}', signal: new AbortController().signal, timeoutMs: 60_000 }
      await new Launcher().run('sh', ['-c', '${script}'], options)`
    return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' })
  }

  it('does not outlive a service that is killed by kill -9, nor does the launcher', async () => {
    const running = service('sleep 60 & echo $! > grandchild; echo $PPID > launcher; echo $$ > child; wait')
    const pids = [await pidIn('child'), await pidIn('grandchild'), await pidIn('launcher')]
    running.kill('SIGKILL')
    for (const pid of pids) await ended(pid)
  })

  it('leaves a launcher that does not delay the end of the service', async () => {
    const [code] = await once(service('echo $PPID > launcher'), 'exit')
    expect(code).to.equal(0)
    await ended(await pidIn('launcher'))
  })
})
