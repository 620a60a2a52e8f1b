import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { debited, granted, settled } from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { newEvent } from '#packages/history/archive/archived-store.fixture.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { appendGolden, eventPlaces, JOB, ORG, run } from './history.harness.ts'

for (const [place, open] of Object.entries(eventPlaces))
  describe(`npm run history on ${place}`, function () {
    this.timeout(60_000)
    let events: StoredEvent[]
    const opened = openedForAll(open)
    before(async () => {
      events = await appendGolden(opened.store)
    })

    const ask = async (line: string): Promise<string[]> =>
      (await run(line, { dataDir: opened.folder, env: opened.env })).lines

    it('shows a job and an organization, line by line', async () => {
      const job = await ask(`show ${JOB}`)
      expect(job).to.have.length(8)
      expect(job[0]).to.match(/ job #0 .* JobRequested .* transcript, auto, within 180 s/)
      const parsed = (await ask(`show ${ORG} --json`)).map((line) => JSON.parse(line))
      const own = events.filter(({ stream }) => !/^(job|delivery|requests)-/.test(stream))
      expect(parsed.map(({ type }) => type).sort()).to.deep.equal(own.map(({ type }) => type).sort())
      expect(await ask('show nobody').catch(String)).to.contain('there is no job and no organization nobody')
    })

    it('explains a job, in words or in figures', async () => {
      expect((await ask(`why ${JOB}`)).join('\n')).to.contain('so the sound was transcribed instead')
      const [line = ''] = await ask(`why ${JOB} --json`)
      expect(JSON.parse(line)).to.include({ status: 'completed', orgId: ORG })
      expect(await ask('why nobody').catch(String)).to.contain('there is no job nobody')
    })

    it('shows a past state', async () => {
      const now = new Date(Date.now() + 1000).toISOString()
      const text = (await ask(`as-of ${now} balance ${ORG}`)).join('\n')
      expect(text)
        .to.match(/^balance +\d+$/m)
        .and.to.match(/^plan +free$/m)
        .and.to.match(/^last event +credits-.* #\d+/m)
      const [job = ''] = await ask(`as-of ${now} job ${JOB} --json`)
      expect(JSON.parse(job).state).to.include({ status: 'completed', credits: 5 })
      expect((await ask(`as-of 2020-01-01 job ${JOB}`)).join('\n')).to.match(/none by 2020-01-01T00:00/)
      expect(await ask(`as-of ${now} balance nobody`).catch(String)).to.contain('there is no organization nobody')
    })

    it('replays a projection: in several threads if it has a merge, else in one', async () => {
      const [counts = ''] = await ask('replay --projection ops/analysts/template.ts --json')
      const total = Object.values<number>(JSON.parse(counts)).reduce((one, other) => one + other, 0)
      expect(total).to.equal(events.length)
      const [jobs = ''] = await ask('replay --projection ops/analysts/template.ts --json --prefix job-')
      expect(JSON.parse(jobs)).to.include({ JobRequested: 13, JobFailed: 7 })
      const later = new Date(Date.now() + 60_000).toISOString()
      expect(
        await ask(`replay --projection ops/analysts/template.ts --json --prefix job- --to ${later}`),
      ).to.deep.equal([jobs])
      // The position is beyond the end: nothing is read, and that is no damage.
      expect(await ask('replay --projection ops/analysts/template.ts --json --from 999999999')).to.deep.equal(['{}'])
      expect(await ask('replay --projection ops/analysts/most-open-jobs.ts')).to.match(/2 jobs were open/)
    })

    it('says what is wrong with a projection’s file', async () => {
      expect(await ask('replay --projection nowhere.ts').catch(String)).to.contain('nowhere.ts could not be loaded')
      const file = join(opened.folder, 'half.ts')
      await writeFile(file, 'export default { initialState: () => 0 }')
      expect(await ask(`replay --projection ${file}`).catch(String)).to.contain('with evolve, print')
      await writeFile(join(opened.folder, 'throws.ts'), thrower)
      expect(await ask(`replay --projection ${join(opened.folder, 'throws.ts')}`).catch(String)).to.contain(
        'no such plan',
      )
    })

    it('compares rules, and names the fields that differ', async () => {
      expect(await ask('diff --decider job --with packages/domain/job/job.ts')).to.deep.equal([
        '0 of 14 streams end differently',
      ])
      const file = join(opened.folder, 'changed.ts')
      const code = new URL('../../packages/domain/organization/organization.ts', import.meta.url).href
      await writeFile(file, changedRule(code))
      const lines = await ask(`diff --decider organization --with ${file}`)
      expect(lines[0]).to.match(/^organization-.* #1 ends with name "Åsa & Döttrar" → "CHANGED"$/)
      expect(lines.at(-1)).to.contain('1 of 1 streams end differently')
    })

    it('compares projections, and names the document fields that differ', async () => {
      expect(await ask('diff --projection keys --with packages/events/views/keys.ts')).to.deep.equal([
        '0 of 2 documents differ',
      ])
      const file = join(opened.folder, 'changed-projection.ts')
      const code = new URL('../../packages/events/views/keys.ts', import.meta.url).href
      await writeFile(file, changedProjection(code))
      const lines = await ask(`diff --projection keys --with ${file}`)
      expect(lines[0]).to.match(/^keys \S+ holds name "[^"]+" → "CHANGED"$/)
      expect(lines.at(-1)).to.equal('2 of 2 documents differ')
      const [json = ''] = await ask(`diff --projection keys --with ${file} --json`)
      expect(JSON.parse(json)).to.include({ documents: 2, differing: 2 })
    })
  })

describe('npm run history in a process of its own', function () {
  this.timeout(120_000)
  const folder = directoryForEach()

  it('follows a job in a process of its own until it is settled', async () => {
    const dataDir = folder.path
    await using store = await openSqliteEventStore({ path: join(dataDir, 'events.sqlite') })
    await store.append('credits-org-1', 'no-stream', [fresh(debited('j1', 5))])
    await store.append('job-j1', 'no-stream', [fresh({ type: 'JobRequested', data: jobRequested() })])
    const words = ['--import', 'tsx/esm', 'ops/history/main.ts', 'show', 'j1', '--follow']
    const env = { ...machineEnvironment(), DATA_DIR: dataDir }
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    const closed = once(child, 'close')
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
    await until('the request is shown', () => printed.includes('JobRequested'))
    await store.append('job-j1', 0, [fresh(cancelled)])
    await store.append('credits-org-1', 0, [fresh(settled('j1', 0, 5, 'cancelled'))])
    expect(await closed).to.deep.equal([0, null])
    const types = printed
      .trim()
      .split('\n')
      .map((line) => /(Job|Credits)[A-Z]\w+/.exec(line)?.[0])
    expect(types).to.deep.equal(['CreditsDebited', 'JobRequested', 'JobFailed', 'CreditsSettled'])
  })

  it('creates nothing if there is no history', async () => {
    const nowhere = join(folder.path, 'nowhere')
    const lines = [
      'show x',
      'verify',
      'forget x --yes',
      'accept-end',
      'backup --to b',
      'restore --from b',
      'export --to b',
      'sql x',
    ]
    for (const line of lines)
      expect(await run(line, { dataDir: nowhere }).catch(String), line).to.match(/there is no event file|is no backup/)
    expect(existsSync(nowhere)).to.equal(false)
  })

  it('lists with a backup what it does not contain', async () => {
    await using store = await openSqliteEventStore({ path: join(folder.path, 'events.sqlite') })
    await store.append('credits-org-1', 'no-stream', [fresh(debited('j1', 5))])
    const told: string[] = []
    const back = (to: string, env: Record<string, string>) =>
      run(`backup --to ${join(folder.path, to)}`, { dataDir: folder.path, env, told })
    await back('without', {})
    expect(told.join()).to.not.contain('NOT')
    await back('with', { RETENTION_DAYS: '30', EXPORT_DIR: '/exported' })
    expect(told.at(-1)).to.contain('NOT in it is the archive in /exported')
  })

  it('gives no answer as of a time before a truncation', async () => {
    await using store = await openSqliteEventStore({ path: join(folder.path, 'events.sqlite') })
    await store.append('credits-org-1', 'no-stream', [granted(1), granted(2)].map(fresh))
    await store.truncate('credits-org-1', 1)
    expect(await run('as-of 1970-01-01 balance org-1', { dataDir: folder.path }).catch(String)).to.contain(
      'no longer has what the organization org-1 was',
    )
  })
})

const fresh = (event: DomainEvent) => newEvent(event, 'org-1', 'j1')
const cancelled: DomainEvent = {
  type: 'JobFailed',
  data: { orgId: 'org-1', kind: 'transcript', code: 'cancelled', message: 'Made up.', used: null },
}

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

const changedProjection = (code: string): string => `import { keys as present } from '${code}'
export const keys = {
  ...present,
  changeOf(event) {
    const change = present.changeOf(event)
    return change && { ...change, next: (current) => ({ ...change.next(current), name: 'CHANGED' }) }
  },
}`
