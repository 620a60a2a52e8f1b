/**
 * Walks the way forward and the way back of ops/releases.md with processes of two releases: the second knows version 2
 * of a made-up event. On one data folder they take turns, on one server they run at the same time.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { startOwnEngines } from '#test/doubles/engines/own-engines.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

const program = fileURLToPath(new URL('release.ts', import.meta.url))

/** The versions and the format that a release can read and writes. */
const releases = {
  before: { versions: 1, format: 1 },
  /** As it is published: it reads version 2 and writes version 1. */
  after: { versions: 2, format: 1 },
  /** Once its operator has raised the format. */
  raised: { versions: 2, format: 2 },
}

type Told = { data?: object[]; refused?: string }

class Release implements AsyncDisposable {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(store: string, { versions, format }: (typeof releases)[keyof typeof releases]): Promise<Release> {
    const child = fork(program, [store, `${versions}`, `${format}`], { execArgv: ['--import', 'tsx/esm'] })
    await once(child, 'message')
    return new Release(child)
  }

  async ask(stream: string, ...append: object[]): Promise<Told> {
    this.#child.send({ stream, append })
    const [told] = await once(this.#child, 'message')
    return told as Told
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    expect((await exited)[0], 'its exit status').to.equal(0)
  }
}

const old = { smell: 'smoke' }
const newer = { smell: 'smoke', strength: 7 }
const unknown = { smell: 'smoke', strength: null }
const sentence = 'no schema is known for VideoSmelled version 2: this program is older than what it reads'

describe('two releases', function () {
  this.timeout(120_000)
  const stream = `job-${randomUUID()}`

  it('take turns on one data folder: forward, back, and after the format is raised only forward', async () => {
    await using folder = await temporaryDirectory()
    const store = join(folder.path, 'events.sqlite')
    const turn = async (release: keyof typeof releases, ...append: object[]): Promise<Told> => {
      await using running = await Release.start(store, releases[release])
      return await running.ask(stream, ...append)
    }
    expect(await turn('before', old)).to.deep.equal({ data: [old] })
    // Forward. Until the operator raises the format, the new release writes events that the old one can read.
    expect(await turn('after', newer)).to.deep.equal({ data: [unknown, unknown] })
    // Back.
    expect(await turn('before', old)).to.deep.equal({ data: [old, old, old] })
    // Forward again, with the format raised.
    expect(await turn('raised', newer)).to.deep.equal({ data: [unknown, unknown, unknown, newer] })
    // The way back is closed. Nothing is written or lost.
    expect(await turn('before', old)).to.deep.equal({ refused: sentence })
    expect(await turn('after')).to.deep.equal({ data: [unknown, unknown, unknown, newer] })
  })

  it('run at the same time on one server, and the old one is stopped by the first event that it does not know', async () => {
    // Its own server: other tests' followers would stop at the made-up event.
    await using server = await startOwnEngines('eventstoredb')
    const store = server.url
    await using before = await Release.start(store, releases.before)
    {
      await using after = await Release.start(store, releases.after)
      expect(await before.ask(stream, old)).to.deep.equal({ data: [old] })
      expect(await after.ask(stream, newer)).to.deep.equal({ data: [unknown, unknown] })
      expect(await before.ask(stream, old)).to.deep.equal({ data: [old, old, old] })
    }
    await using raised = await Release.start(store, releases.raised)
    expect(await raised.ask(stream, newer)).to.deep.equal({ data: [unknown, unknown, unknown, newer] })
    expect(await before.ask(stream, old)).to.deep.equal({ refused: sentence })
    expect(await raised.ask(stream)).to.deep.equal({ data: [unknown, unknown, unknown, newer] })
  })
})
