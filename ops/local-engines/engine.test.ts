import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect } from 'chai'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { Engine, type EngineKind } from './engine.ts'
import { freePorts } from './ports.ts'
import { identify } from './process.ts'

describe('an engine on this machine', () => {
  const engines: Engine[] = []
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.kill()
  })
  const folder = directoryForEach()

  /** An engine that runs this program, with its port in PORT. */
  async function engineOf(program: string, options: { startMs?: number; endMs?: number } = {}) {
    const [port = 0] = await freePorts(1)
    const kind: EngineKind = {
      name: 'made-up',
      ports: [port],
      prepare: async () => {},
      command: [process.execPath, '-e', program.replaceAll('PORT', String(port))],
      isReady: async (said) => said.includes('serves'),
    }
    const engine = new Engine(kind, { folder: folder.path, detached: false, ...options })
    engines.push(engine)
    return { engine, port, kind }
  }
  const echo = `require('net').createServer((s) => s.pipe(s)).listen(PORT, '127.0.0.1', () => console.log('serves'))`

  const answers = async (port: number, withinMs: number): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1')
    try {
      socket.write('x')
      await once(socket, 'data', { signal: AbortSignal.timeout(withinMs) })
      return true
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  }

  it('serves after its start, and a second start changes nothing', async () => {
    const { engine, port } = await engineOf(echo)
    await engine.start()
    const first = engine.process
    await engine.start()
    expect(engine.process).to.deep.equal(first)
    expect(await answers(port, 5000)).to.equal(true)
  })

  it('hangs while it is frozen, and continues afterwards', async () => {
    const { engine, port } = await engineOf(echo)
    await engine.start()
    await engine.freeze()
    expect(await answers(port, 300)).to.equal(false)
    engine.thaw()
    expect(await answers(port, 5000)).to.equal(true)
  })

  it('ends on request, even while it is frozen, and starts again', async () => {
    const { engine, port } = await engineOf(echo)
    await engine.start()
    await engine.freeze()
    await engine.stop()
    expect(engine.process).to.equal(undefined)
    await engine.start()
    expect(await answers(port, 5000)).to.equal(true)
  })

  it('is killed if it does not end in time', async () => {
    const { engine } = await engineOf(`process.on('SIGTERM', () => {}); ${echo}`, { endMs: 200 })
    await engine.start()
    await engine.stop()
    expect(engine.process).to.equal(undefined)
  })

  it('reports the output of a server that ends at once, or does not serve', async () => {
    const messageOf = async (engine: Engine): Promise<string> => engine.start().then(String, (error) => error.message)
    const { engine: ended } = await engineOf(`console.log('a setting is wrong')`)
    expect(await messageOf(ended)).to.match(/^made-up has ended; it said:\na setting is wrong/)
    const { engine: silent } = await engineOf(`setInterval(() => {}, 1000)`, { startMs: 300 })
    expect(await messageOf(silent)).to.match(/^made-up does not serve after 0.3 s/)
    expect(silent.process).to.equal(undefined)
  })

  it('does not start if another program has its port, and says so', async () => {
    const { engine, port } = await engineOf(echo)
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    const message = await engine.start().then(String, (error: Error) => error.message)
    other.close()
    expect(message).to.equal(`port ${port} of made-up is taken by another program`)
  })

  it('never ends a process that only has the id of the started one', async () => {
    const { kind } = await engineOf(echo)
    const engine = new Engine(kind, { folder: folder.path, detached: false }, { pid: process.pid, startedAt: '1' })
    expect(engine.process).to.equal(undefined)
    await engine.stop()
    await engine.kill()
    expect(identify(process.pid)).to.not.equal(undefined)
  })
})
