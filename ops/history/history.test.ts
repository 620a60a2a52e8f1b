import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { expect } from 'chai'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { readConfig } from '#packages/config/config.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { asOf } from './as-of.ts'
import { type HistoryCommand, historyOptions, parseHistoryCommand } from './command.ts'
import { diff } from './diff.ts'
import { type History, openHistory } from './open-history.ts'
import { replayHistory } from './replay.ts'
import { show } from './show.ts'
import { why } from './why.ts'

const JOB = '3f2504e0-4f89-41d3-9a0c-0305e82c3303'
const ORG = '7b0c7d9e-53a1-4f0c-9d1e-2f6f0a3c1b01'

/** An event file with the streams of the golden histories of format 1, recorded now. */
async function goldenFile(dataDir: string): Promise<StoredEvent[]> {
  await mkdir(dataDir)
  await using store = await openSqliteEventStore({ path: join(dataDir, 'events.sqlite') })
  const golden = readHistories().filter(({ name }) => name.startsWith('v1/'))
  let id = 0
  for (const { events } of golden) {
    const fresh = events.map(({ type, data, metadata }) => ({
      ...({ type, data } as StoredEvent),
      id: `00000000-0000-4000-8000-${String(id++).padStart(12, '0')}`,
      metadata,
    }))
    await store.append(events[0]?.stream ?? '', 'no-stream', fresh)
  }
  return golden.flatMap(({ events }) => events)
}

describe('npm run history', function () {
  this.timeout(60_000)
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>
  let history: History
  let events: StoredEvent[]
  const config = readConfig({})
  before(async () => {
    folder = await temporaryDirectory()
    events = await goldenFile(join(folder.path, 'data'))
    history = await openHistory(config, join(folder.path, 'data'))
  })
  after(async () => {
    await history?.[Symbol.asyncDispose]()
    await folder?.[Symbol.asyncDispose]()
  })

  /** What a command prints. */
  async function ask(line: string): Promise<string[]> {
    const args = line.split(' ')
    const command = parseHistoryCommand(parseArgs({ args, options: historyOptions, allowPositionals: true }))
    const lines: string[] = []
    await answer(command, (text) => lines.push(text))
    return lines
  }
  async function answer(command: HistoryCommand, print: (line: string) => void): Promise<unknown> {
    if (command.type === 'show') return show(history.store, command, print, new AbortController().signal)
    if (command.type === 'why') return why(history.store, command, print)
    if (command.type === 'as-of') return asOf(history.store, command, print)
    if (command.type === 'replay') return replayHistory(history, command, print)
    if (command.type === 'diff') return diff(history, command, print)
    throw new Error(`${command.type} is not about this`)
  }

  it('shows a job and an organization, line by line', async () => {
    const job = await ask(`show ${JOB}`)
    expect(job).to.have.length(8)
    expect(job[0]).to.match(/ job #0 .* JobRequested .* transcript, auto, within 180 s/)
    const parsed = (await ask(`show ${ORG} --json`)).map((line) => JSON.parse(line))
    const own = events.filter(({ stream }) => !stream.startsWith('job-'))
    expect(parsed.map(({ type }) => type).sort()).to.deep.equal(own.map(({ type }) => type).sort())
    expect(await ask('show nobody').catch(String)).to.contain('there is no job and no organization nobody')
  })

  it('explains a job, in words or as figures', async () => {
    expect((await ask(`why ${JOB}`)).join('\n')).to.contain('so the sound was transcribed instead')
    const [line = ''] = await ask(`why ${JOB} --json`)
    expect(JSON.parse(line)).to.include({ status: 'completed', orgId: ORG })
    expect(await ask('why nobody').catch(String)).to.contain('there is no job nobody')
  })

  it('tells a state of the past', async () => {
    const now = new Date(Date.now() + 1000).toISOString()
    const text = (await ask(`as-of ${now} balance ${ORG}`)).join('\n')
    expect(text)
      .to.match(/^balance +\d+$/m)
      .and.to.match(/^plan +free$/m)
      .and.to.match(/^last event +credits-.* #\d+/m)
    const [job = ''] = await ask(`as-of ${now} job ${JOB} --json`)
    expect(JSON.parse(job).state).to.include({ status: 'completed', credits: 5 })
    expect((await ask(`as-of 2020-01-01 job ${JOB}`)).join('\n')).to.match(/none by 2020-01-01T00:00/)
  })

  it('replays a projection, in several threads where it can be put together, and in one where not', async () => {
    const [counts = ''] = await ask('replay --projection ops/analysts/template.ts --json')
    const total = Object.values<number>(JSON.parse(counts)).reduce((one, other) => one + other, 0)
    expect(total).to.equal(events.length)
    const [jobs = ''] = await ask('replay --projection ops/analysts/template.ts --json --prefix job-')
    expect(JSON.parse(jobs)).to.include({ JobRequested: 10, JobFailed: 6 })
    const later = new Date(Date.now() + 60_000).toISOString()
    expect(await ask(`replay --projection ops/analysts/template.ts --json --from ${later}`)).to.deep.equal(['{}'])
    expect(await ask('replay --projection ops/analysts/most-open-jobs.ts')).to.match(/2 jobs were open/)
  })

  it('says what is wrong with the file of a projection', async () => {
    expect(await ask('replay --projection nowhere.ts').catch(String)).to.contain('nowhere.ts could not be loaded')
    const file = join(folder.path, 'half.ts')
    await writeFile(file, 'export default { initialState: () => 0 }')
    expect(await ask(`replay --projection ${file}`).catch(String)).to.contain('with evolve, print')
    await writeFile(join(folder.path, 'throws.ts'), thrower)
    expect(await ask(`replay --projection ${join(folder.path, 'throws.ts')}`).catch(String)).to.contain('no such plan')
  })

  it('compares rules, and names the fields that differ', async () => {
    expect(await ask('diff --decider job --with packages/domain/job/job.ts')).to.deep.equal([
      '0 of 11 streams end differently; 0 of 67 decisions would have been others',
    ])
    const file = join(folder.path, 'changed.ts')
    const code = new URL('../../packages/domain/organization/organization.ts', import.meta.url).href
    await writeFile(file, changedRule(code))
    const lines = await ask(`diff --decider organization --with ${file}`)
    expect(lines[0]).to.match(/^organization-.* #0 ends with name "Åsa & Söner" → "CHANGED"$/)
    expect(lines.at(-1)).to.contain('1 of 1 streams end differently')
  })

  it('makes nothing where there is no history', async () => {
    const nowhere = join(folder.path, 'nowhere')
    expect(await openHistory(config, nowhere).catch(String)).to.contain('there is no event file')
  })
})

const thrower = `export const projection = {
  initialState: () => 0,
  evolve() { throw new Error('no such plan') },
  merge: (one: number) => one,
  print: () => '',
}`

const changedRule = (code: string): string => `import { organization as present } from '${code}'
export const organization = {
  ...present,
  evolve: (state, event) => ({ ...present.evolve(state, event), name: 'CHANGED' }),
}`
