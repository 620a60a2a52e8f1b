import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { StepError } from '#packages/errors/step-error.ts'
import { instantClock, keptLog, python, temporaryDirectory } from '#test/doubles/speech/setting.ts'
import { type WorkerPoolOptions, workerPool } from './worker-pool.ts'

const never = new AbortController().signal

/** Speaks the protocol of worker.py; what it does is said by the request. `once` names a file made at the first try. */
const script = `
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    what, once = request["what"], request.get("once")
    if once and os.path.exists(once):
        what = "answer"
    elif once:
        open(once, "w").close()
    if what == "die":
        os._exit(3)
    if what == "hang":
        time.sleep(600)
    answer = {"id": request["id"], "result": os.getpid()}
    if what == "refuse":
        answer = {"id": request["id"], "error": "ValueError: no"}
    print("garbage" if what == "garbage" else json.dumps(answer), flush=True)
`

describe('the pool of speech workers', function () {
  this.timeout(20_000)
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  before(async () => {
    directory = await temporaryDirectory()
    await writeFile(join(directory.path, 'fake.py'), script)
  })
  after(() => directory[Symbol.asyncDispose]())

  function setting(options: Partial<WorkerPoolOptions> = {}) {
    const { log, lines } = keptLog()
    const pool = workerPool({ python, clock: instantClock(), log, script: join(directory.path, 'fake.py'), ...options })
    const ask = (message: object, limits: { signal?: AbortSignal; timeoutMs?: number } = {}) =>
      pool.request(message, { signal: never, timeoutMs: 10_000, deadlineAt: Date.now() + 15_000, ...limits })
    return { pool, ask, lines, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() }
  }
  const failure = (promise: Promise<unknown>): Promise<StepError> =>
    promise.then(
      () => Promise.reject(new Error('it should have failed')),
      (error) => error,
    )

  it('starts no process before there is work, keeps one for the next request, and ends it when idle', async () => {
    await using s = setting({ idleMs: 200 })
    expect(s.pool.pids).to.deep.equal([])
    const pid = await s.ask({ what: 'answer' })
    expect(await s.ask({ what: 'answer' })).to.equal(pid)
    expect(s.pool.pids).to.deep.equal([pid])
    while (s.pool.pids.length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  })

  for (const what of ['die', 'garbage', 'hang']) {
    it(`repeats the request of a worker that does this: ${what}`, async () => {
      await using s = setting()
      const once = join(directory.path, `${what}-once`)
      const timeoutMs = what === 'hang' ? 1500 : 10_000
      const pid = await s.ask({ what, once }, { timeoutMs })
      expect(await s.ask({ what: 'answer' })).to.equal(pid)
      expect(s.lines).to.have.length(1)
    })
  }

  it('gives up a request that its second worker does not survive either, and serves the next', async () => {
    await using s = setting()
    expect(await failure(s.ask({ what: 'die' }))).to.include({ code: 'internal_error', transient: true })
    expect(await s.ask({ what: 'answer' })).to.be.a('number')
  })

  it('keeps a worker that says no', async () => {
    await using s = setting()
    const pid = await s.ask({ what: 'answer' })
    expect(await failure(s.ask({ what: 'refuse' }))).to.include({ code: 'internal_error', transient: true })
    expect(await s.ask({ what: 'answer' })).to.equal(pid)
  })

  it('replaces a worker after its requests', async () => {
    await using s = setting({ maxRequests: 2, maxWorkers: 1 })
    const pids = await Promise.all(Array.from({ length: 8 }, () => s.ask({ what: 'answer' })))
    expect(new Set(pids).size).to.equal(4)
  })

  it('never runs more than its number', async () => {
    await using s = setting({ maxWorkers: 2 })
    const pids = await Promise.all(Array.from({ length: 8 }, () => s.ask({ what: 'answer' })))
    expect(new Set(pids).size).to.equal(2)
  })

  it('refuses what would wait in a queue that is full', async () => {
    await using s = setting({ maxWorkers: 1, maxWaiting: 1 })
    const ends = await Promise.allSettled([1, 2, 3].map(() => s.ask({ what: 'answer' })))
    expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected'])
  })

  it('kills the worker of an aborted request, and lets one that waits go', async () => {
    await using s = setting({ maxWorkers: 1 })
    const stop = new AbortController()
    const working = failure(s.ask({ what: 'hang' }, { signal: stop.signal }))
    const waiting = failure(s.ask({ what: 'answer' }, { signal: stop.signal }))
    const reason = new Error('no longer wanted')
    stop.abort(reason)
    expect([await working, await waiting]).to.deep.equal([reason, reason])
    expect(await s.ask({ what: 'answer' })).to.be.a('number')
  })

  it('tells a missing interpreter as our own failure', async () => {
    await using s = setting({ python: '/nowhere/python' })
    expect(await failure(s.ask({ what: 'answer' }))).to.include({ code: 'internal_error', transient: true })
  })

  it('ends its processes and what waits when it is closed', async () => {
    const s = setting()
    const hanging = failure(s.ask({ what: 'hang' }))
    await s[Symbol.asyncDispose]()
    expect(await hanging).to.include({ code: 'internal_error', transient: true })
    expect(s.pool.pids).to.deep.equal([])
  })
})
