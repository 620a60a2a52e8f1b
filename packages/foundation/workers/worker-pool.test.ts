import { existsSync, readFileSync } from 'node:fs'
import { realpath, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { python } from '#test/doubles/python.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { type WorkerPoolOptions, type WorkerRequest, workerPool } from './worker-pool.ts'
import { WorkerRefusal } from './worker-process.ts'

const never = new AbortController().signal

/** A stand-in for a worker: the request says what to do. `once` names a file that it creates at the first try. */
const script = `
import json, os, subprocess, sys, time
for line in sys.stdin:
    request = json.loads(line)
    what, once = request["what"], request.get("once")
    if once and os.path.exists(once):
        what = "answer"
    elif once and what != "child":
        open(once, "w").close()
    if what == "ask":
        print(json.dumps({"id": request["id"], "ask": request["wanted"]}), flush=True)
        go = json.loads(sys.stdin.readline())["go"]
        print(json.dumps({"id": request["id"], "result": os.getpid()} if go else {"id": request["id"], "error": "stopped"}), flush=True)
        continue
    if what == "write":
        open("own", "w").close()
    if what == "child":
        pid = subprocess.Popen(["sleep", "600"]).pid
        open(once, "w").write(str(pid))
        time.sleep(600)
    if what.startswith("https:"):
        sys.exit("cannot read " + what)
    if what == "die":
        os._exit(3)
    if what == "hang":
        time.sleep(600)
    answer = {"id": request["id"], "result": os.getcwd() if what == "write" else os.getpid()}
    if what == "refuse":
        answer = {"id": request["id"], "error": "ValueError: no"}
    print("garbage" if what == "garbage" else json.dumps(answer), flush=True)
`

const tick = () => new Promise((resolve) => setTimeout(resolve, 20))
/** Neither gone nor a zombie. */
const isAlive = (pid: string) => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false // It is gone.
  }
}

type Setting = Partial<Omit<WorkerPoolOptions, 'telemetry'>> & { command?: string; directoriesIn?: string }

describe('the pool of workers', () => {
  const directory = directoryForAll()
  before(() => writeFile(join(directory.path, 'stand-in.py'), script))

  function setting({ command = python, directoriesIn, ...options }: Setting = {}) {
    const { log, lines } = keptLog()
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
    const args = ['-EsB', join(directory.path, 'stand-in.py')]
    const program = { command, args, env, ...(directoriesIn === undefined ? {} : { directoriesIn }) }
    const telemetry = new RecordingTelemetry()
    const pool = workerPool({ program, clock: instantClock(), log, telemetry, name: 'stand-in', ...options })
    const ask = (message: object, limits: Partial<WorkerRequest> = {}) =>
      pool.request(message, { signal: never, timeoutMs: 10_000, deadlineAt: Date.now() + 15_000, ...limits })
    return { pool, ask, lines, telemetry, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() }
  }

  it('starts no process before there is work, keeps one for the next request, and ends it when idle', async () => {
    await using s = setting({ idleMs: 200 })
    expect(s.pool.pids).to.deep.equal([])
    const pid = await s.ask({ what: 'answer' })
    expect(await s.ask({ what: 'answer' })).to.equal(pid)
    expect(s.pool.pids).to.deep.equal([pid])
    while (s.pool.pids.length > 0) await tick()
  })

  for (const what of ['die', 'garbage', 'hang']) {
    it(`repeats the request of a worker that does this: ${what}`, async () => {
      await using s = setting()
      const once = join(directory.path, `${what}-once`)
      const timeoutMs = what === 'hang' ? 3000 : 10_000
      const pid = await s.ask({ what, once }, { timeoutMs })
      expect(await s.ask({ what: 'answer' })).to.equal(pid)
      expect(s.lines).to.have.length(1)
    })
  }

  it('fails a request that kills its second worker too, and serves the next', async () => {
    await using s = setting()
    expect(await failureOf(s.ask({ what: 'die' }))).to.include({ code: 'internal_error', transient: true })
    expect(await s.ask({ what: 'answer' })).to.be.a('number')
    const pool = { 'video.pool': 'stand-in' }
    const failed = { value: 1, attributes: pool }
    expect(s.telemetry.valuesOf(metrics.workersKilled)).to.deep.equal([failed, failed])
    expect(s.telemetry.valuesOf(metrics.workerDuration).map(({ attributes }) => attributes)).to.deep.equal([
      pool,
      pool,
      pool,
    ])
  })

  it('repeats a request on a new worker, even if all idle ones have failed together', async () => {
    await using s = setting({ maxWorkers: 2 })
    await Promise.all([s.ask({ what: 'answer' }), s.ask({ what: 'answer' })])
    const old = s.pool.pids
    expect(old).to.have.length(2)
    for (const pid of old) process.kill(pid, 'SIGSTOP')
    expect(await s.ask({ what: 'answer' }, { timeoutMs: 3000 })).to.not.be.oneOf(old)
  })

  it('keeps a worker that refuses a request', async () => {
    await using s = setting()
    const pid = await s.ask({ what: 'answer' })
    const error = await failureOf(s.ask({ what: 'refuse' }))
    expect(error).to.be.instanceOf(WorkerRefusal)
    expect(error.message).to.equal('ValueError: no')
    expect(await s.ask({ what: 'answer' })).to.equal(pid)
  })

  it('replaces a worker after its number of requests', async () => {
    await using s = setting({ maxRequests: 2, maxWorkers: 1 })
    const pids = await Promise.all(Array.from({ length: 8 }, () => s.ask({ what: 'answer' })))
    expect(new Set(pids).size).to.equal(4)
  })

  it('never runs more workers than its limit', async () => {
    await using s = setting({ maxWorkers: 2 })
    const pids = await Promise.all(Array.from({ length: 8 }, () => s.ask({ what: 'answer' })))
    expect(new Set(pids).size).to.equal(2)
  })

  it('refuses requests when the queue is full', async () => {
    await using s = setting({ maxWorkers: 1, maxWaiting: 1 })
    const ends = await Promise.allSettled([1, 2, 3].map(() => s.ask({ what: 'answer' })))
    expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected'])
  })

  it('leaves a worker to others, however many requests one share sends', async () => {
    await using s = setting({ maxWorkers: 2 })
    const stop = new AbortController()
    const mine = { signal: stop.signal, shares: ['organization 1'] }
    const hanging = [1, 2, 3, 4].map(() => failureOf(s.ask({ what: 'hang' }, mine)))
    expect(await s.ask({ what: 'answer' }, { shares: ['organization 2'] })).to.be.a('number')
    expect(s.pool.pids).to.have.length(2)
    stop.abort(new Error('no longer wanted'))
    await Promise.all(hanging)
    expect(await s.ask({ what: 'answer' }, { shares: ['organization 1'] }), 'its place is free again').to.be.a('number')
  })

  it('keeps the worker of an aborted request that it may finish, and drops the answer', async () => {
    await using s = setting({ maxWorkers: 1 })
    const pid = await s.ask({ what: 'answer' })
    const stop = new AbortController()
    const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const onAsk = () => {
      asked.resolve()
      return go.promise
    }
    const aborted = s.ask({ what: 'ask', wanted: 1 }, { signal: stop.signal, finishes: true, onAsk })
    await asked.promise
    const reason = new Error('no longer wanted')
    stop.abort(reason)
    expect(await aborted.catch((error: unknown) => error)).to.equal(reason)
    const next = s.ask({ what: 'answer' })
    go.resolve()
    expect(await next).to.equal(pid)
    expect(s.lines).to.deep.equal([])
  })

  it('kills the worker of an aborted request, and drops a waiting one', async () => {
    await using s = setting({ maxWorkers: 1 })
    const stop = new AbortController()
    const working = failureOf(s.ask({ what: 'hang' }, { signal: stop.signal }))
    const waiting = failureOf(s.ask({ what: 'answer' }, { signal: stop.signal }))
    const reason = new Error('no longer wanted')
    stop.abort(reason)
    expect([await working, await waiting]).to.deep.equal([reason, reason])
    expect(await s.ask({ what: 'answer' })).to.be.a('number')
  })

  it('reports a missing interpreter as our own failure', async () => {
    await using s = setting({ command: '/nowhere/python' })
    expect(await failureOf(s.ask({ what: 'answer' }))).to.include({ code: 'internal_error', transient: true })
  })

  it('gives a request to the idle worker that served its narrowest subject', async () => {
    await using s = setting({ maxWorkers: 3 })
    const ask = (...about: string[]) => s.ask({ what: 'answer' }, { about })
    const first = await ask('video 1', 'exit 1')
    const second = await ask('video 2', 'exit 2')
    expect(second, 'a worker of its own while there is room').to.not.equal(first)
    expect(await ask('video 3', 'exit 1')).to.equal(first)
    expect(await ask('video 2', 'exit 1'), 'the narrowest counts first').to.equal(second)
    const third = await ask('video 4', 'exit 4')
    expect(await ask('video 5', 'exit 5'), 'no room: the one idle for the longest').to.equal(first)
    expect(new Set([first, second, third]).size).to.equal(3)
    expect(s.pool.pids).to.have.length(3)
  })

  it('lets a worker continue once its wish is granted', async () => {
    await using s = setting()
    const asked: unknown[] = []
    const onAsk = async (ask: unknown) => void asked.push(ask)
    const pid = await s.ask({ what: 'ask', wanted: { bytes: 5 } }, { onAsk })
    expect(asked).to.deep.equal([{ bytes: 5 }])
    expect(await s.ask({ what: 'answer' })).to.equal(pid)
  })

  it('stops a worker with the reason if its wish is refused, and keeps it', async () => {
    await using s = setting()
    const pid = await s.ask({ what: 'answer' })
    const reason = new Error('no room')
    expect(await failureOf(s.ask({ what: 'ask', wanted: 1 }, { onAsk: () => Promise.reject(reason) }))).to.equal(reason)
    expect(await s.ask({ what: 'answer' })).to.equal(pid)
  })

  it('gives each worker its own directory, and removes it afterwards', async () => {
    const s = setting({ directoriesIn: directory.path })
    const own = String(await s.ask({ what: 'write' }))
    expect(dirname(own)).to.equal(await realpath(directory.path))
    expect(existsSync(join(own, 'own'))).to.equal(true)
    await s[Symbol.asyncDispose]()
    expect(existsSync(own)).to.equal(false)
  })

  it('kills the processes that a hanging worker has started', async () => {
    await using s = setting()
    const once = join(directory.path, 'pid-of-child')
    const stop = new AbortController()
    const hanging = failureOf(s.ask({ what: 'child', once }, { signal: stop.signal }))
    while (!existsSync(once) || readFileSync(once).length === 0) await tick()
    const pid = readFileSync(once, 'utf8')
    expect(isAlive(pid)).to.equal(true)
    stop.abort(new Error('no longer wanted'))
    await hanging
    while (isAlive(pid)) await tick()
  })

  it('logs no addresses that a worker wrote before it ended', async () => {
    await using s = setting()
    await failureOf(s.ask({ what: 'https://cdn.example/a?signature=abc' }))
    expect(s.lines).to.have.length(2)
    expect(s.lines.join()).to.include('(address)').and.not.include('signature')
  })

  it('ends its processes and waiting requests when it is closed', async () => {
    const s = setting()
    const hanging = failureOf(s.ask({ what: 'hang' }))
    await s[Symbol.asyncDispose]()
    expect(await hanging).to.include({ code: 'internal_error', transient: true })
    expect(s.pool.pids).to.deep.equal([])
  })
})
