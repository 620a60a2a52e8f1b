import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { expect } from 'chai'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { type Config, readConfig } from '#packages/foundation/config/config.ts'
import { allOf } from '#packages/history/archive/archived-store.fixture.ts'
import { manifestOf } from '#packages/history/archive/open-archive.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { asOf } from './as-of.ts'
import { type CommandOf, historyOptions, parseHistoryCommand } from './command.ts'
import { exportTo } from './export.ts'
import { openHistory, openStoreHistory } from './open-history.ts'
import { replayHistory } from './replay.ts'
import { show } from './show.ts'
import { why } from './why.ts'

const JOB = '3f2504e0-4f89-41d3-9a0c-0305e82c3303'
const ORG = '7b0c7d9e-53a1-4f0c-9d1e-2f6f0a3c1b01'

/** Appends the streams of the golden histories, without the removals, recorded now. */
async function appendGolden(store: EventStore): Promise<void> {
  for (const { kind, events } of readHistories()) {
    if (kind === 'removal') continue
    const again = events.map(({ type, data, metadata }) => {
      return { ...({ type, data } as DomainEvent), id: randomUUID(), metadata }
    })
    await store.append(events[0]?.stream ?? '', 'no-stream', again)
  }
}

type Opened = AsyncDisposable & { store: EventStore; environment: Record<string, string> }

const places: Record<string, (folder: string) => Promise<Opened>> = {
  async 'the event file'(folder) {
    const store = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
    return { store, environment: {}, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  },
  async EventStoreDB(folder) {
    const opening = new AsyncDisposableStack()
    const server = opening.use(await startEventStoreDouble({ path: join(folder, 'log.sqlite') }))
    const store = opening.use(openEventStoreDb(server.url))
    const environment = { EVENT_STORE_URL: server.url }
    return { store, environment, [Symbol.asyncDispose]: () => opening.disposeAsync() }
  },
}

const commandOf = (line: string) =>
  parseHistoryCommand(parseArgs({ args: line.split(' '), options: historyOptions, allowPositionals: true }))

for (const [place, open] of Object.entries(places))
  describe(`npm run history -- export, of ${place}`, function () {
    this.timeout(120_000)
    let folder: string
    let opened: Opened
    let config: Config
    let disposing: AsyncDisposableStack
    beforeEach(async () => {
      disposing = new AsyncDisposableStack()
      folder = disposing.use(await temporaryDirectory()).path
      opened = disposing.use(await open(folder))
      config = readConfig(opened.environment)
      await appendGolden(opened.store)
    })
    afterEach(() => disposing.disposeAsync())
    const archive = () => join(folder, 'archive')

    async function run(line: string, print: (line: string) => void, signal = new AbortController().signal) {
      await using history = await openStoreHistory(config, folder)
      const command = commandOf(`export ${line}`) as CommandOf<'export'>
      await exportTo(history, command, { exportDir: config.exportDir, print, signal, pauseMs: 10 })
    }

    /** The answers to the questions. @param directory of an archive */
    async function answers(of: { config: Config; folder: string }, directory?: string): Promise<string[]> {
      await using history = await openHistory(of.config, of.folder, directory)
      const now = '2100-01-01'
      const lines: string[] = []
      const print = (line: string): unknown => lines.push(line)
      await show(history.store, commandOf(`show ${JOB}`) as CommandOf<'show'>, print, new AbortController().signal)
      await show(history.store, commandOf(`show ${ORG}`) as CommandOf<'show'>, print, new AbortController().signal)
      await why(history.store, commandOf(`why ${JOB}`) as CommandOf<'why'>, print)
      await asOf(history.store, commandOf(`as-of ${now} balance ${ORG}`) as CommandOf<'as-of'>, print)
      await asOf(history.store, commandOf(`as-of ${now} job ${JOB}`) as CommandOf<'as-of'>, print)
      const replay = 'replay --projection ops/analysts/template.ts --prefix job- --prefix credits-'
      await replayHistory(history, commandOf(replay) as CommandOf<'replay'>, print)
      return lines
    }

    it('adds new events, and says how many', async () => {
      const lines: string[] = []
      await run(`--to ${archive()} --json`, (line) => lines.push(line))
      const all = await allOf(opened.store)
      expect(JSON.parse(lines[0] ?? '')).to.include({ added: all.length, events: all.length })
      await run(`--to ${archive()}`, (line) => lines.push(line))
      expect(lines[1]).to.match(/^0 events added; the archive has \d+ in \d+ files, up to position \d+$/)
      expect(manifestOf(archive()).position).to.be.at.least(all.at(-1)?.position ?? 0)
      expect(await failureOf(run('--json', () => undefined))).to.match(/needs --to, or EXPORT_DIR/)
    })

    it('follows the store until it is stopped', async () => {
      const end = new AbortController()
      const lines: string[] = []
      const following = run(`--to ${archive()} --follow --json`, (line) => lines.push(line), end.signal)
      await until('the first export is done', () => lines.length === 1)
      const event: DomainEvent = { type: 'OrganizationRegistered', data: { name: 'New' } }
      const { metadata } = readHistories()[0]?.events[0] ?? expect.fail('there are no histories')
      await opened.store.append('organization-new', 'no-stream', [{ ...event, id: randomUUID(), metadata }])
      await until('the new event is exported', () => lines.length === 2)
      end.abort()
      await following
      expect(JSON.parse(lines[1] ?? '')).to.include({ added: 1 })
    })

    it('answers questions about events that the store has removed, and without a store', async () => {
      await run(`--to ${archive()} --with-content`, () => undefined)
      const before = await answers({ config, folder })
      expect(await answers({ config, folder }, archive())).to.deep.equal(before)
      expect(await answers({ config: readConfig({}), folder: join(folder, 'nowhere') }, archive())).to.deep.equal(
        before,
      )
      await opened.store.remove(streams.job(JOB))
      expect(await failureOf(answers({ config, folder }))).to.match(/no job and no organization/)
      const withArchive = { config: { ...config, exportDir: archive() }, folder }
      expect(await answers(withArchive)).to.deep.equal(before)
    })
  })
