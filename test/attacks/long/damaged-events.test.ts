import { copyFileSync, cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openBeside } from '#test/doubles/open-beside.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

/** Credits of a starter organization after its sign-up, its first month and a failed job. */
const CREDITS = 550

const order = { url: at('/nothing.mp4'), mode: 'native' }

/** A service with two organizations. Each has one ended job. */
async function makeFixture() {
  const setting = await Setting.start({ speech: null })
  const [victim, other] = [await setting.client({ plan: 'starter' }), await setting.client({ plan: 'starter' })]
  const jobs = await Promise.all([victim, other].map((client) => client.enqueue(order)))
  await setting.rest()
  await setting.closeBackDoor()
  const { service } = setting
  const [asMade, events] = [`${service.dataDir}-as-made`, join(service.dataDir, 'events.sqlite')]
  await service.end('SIGTERM')
  cpSync(service.dataDir, asMade, { recursive: true })
  return {
    ...{ setting, victim, other, events },
    /** Ids of the victim's job and of the other one. */
    jobs,
    /** Stops the service, restores its original files, and clears its output. */
    async begin(): Promise<void> {
      if (service.runs) await service.cut()
      rmSync(service.dataDir, { recursive: true })
      cpSync(asMade, service.dataDir, { recursive: true })
      service.output = ''
    },
    /** Copies the event file, starts the service, and has it accept jobs of the victim. @returns the copy */
    async acceptSome(count: number): Promise<string> {
      const older = join(service.dataDir, 'older-copy')
      copyFileSync(events, older)
      await service.start()
      for (let n = 0; n < count; n++) expect((await victim.transcript(order)).status).to.equal(202)
      return older
    },
    async assertStartRefused(why: RegExp): Promise<void> {
      service.output = ''
      expect(await service.spawn().exited).to.include({ code: 1 })
      expect(service.output).to.match(why)
    },
    [Symbol.asyncDispose]: () => setting[Symbol.asyncDispose](),
  }
}

type Fixture = Awaited<ReturnType<typeof makeFixture>>

const readiness = async (setting: Setting): Promise<string> => (await fetch(`${setting.service.base}/ready`)).text()

/** No request is accepted, and the answer gives the reason. */
async function assertNothingAccepted({ setting, other }: Fixture, why: RegExp): Promise<void> {
  for (const answer of [await other.transcript(order), await other.post('/v1/keys', { name: 'another' })]) {
    expect(answer.status, answer.text).to.equal(503)
    expect(answer.body.error).to.equal('unavailable')
    expect(answer.body.message)
      .to.match(/^Nothing is accepted now: /)
      .and.match(why)
  }
  const { code, stderr } = await setting.service.org('grant', other.orgId, '1')
  expect(code, stderr).to.equal(1)
}

const verify = (setting: Setting, ...more: string[]) => setting.service.command('history', 'verify', ...more)

/** Edits the event file while the service is stopped. */
function edit(path: string, sql: string, ...values: (string | number)[]): void {
  using database = openBeside(path)
  expect(database.prepare(sql).run(...values).changes).to.be.above(0)
}

const inLedger = "stream = (SELECT id FROM streams WHERE name = 'credits-' || ?)"

describe('damaged events are detected, named and never trusted', function () {
  this.timeout(480_000)
  const on = openedForAll(makeFixture)
  beforeEach(() => on.begin())

  const changes: Record<string, string> = {
    'one digit of its data is changed': `UPDATE events SET data = replace(data, '"credits":50', '"credits":90')
      WHERE type = 'CreditsGranted' AND ${inLedger}`,
    'it is deleted': `DELETE FROM events WHERE type = 'CreditsDebited' AND ${inLedger}`,
  }
  for (const [change, sql] of Object.entries(changes))
    it(`an event of a ledger where ${change}`, async () => {
      const { setting, events, victim, other } = on
      edit(events, sql, victim.orgId)
      await setting.service.start()
      const me = await victim.get('/v1/me')
      expect(me.status, me.text).to.equal(503)
      expect(me.body.message).to.contain('damaged')
      expect(await other.credits()).to.equal(CREDITS)
      await until('/ready says so', async () => /the events are damaged/.test(await readiness(setting)))
      await assertNothingAccepted(on, /the events are damaged/)
      const found = await verify(setting)
      expect(found.code, found.stdout + found.stderr).to.equal(1)
      expect(found.stdout).to.contain('file events.sqlite').and.contain(`credits-${victim.orgId}`)
      expect(setting.service.output).to.contain('damaged_events')
      // The next start reports it at once.
      await setting.service.end('SIGTERM')
      await setting.service.start()
      expect(await readiness(setting)).to.contain('the events are damaged')
    })

  it('garbage in the middle of the events: the service starts, and names the file and the event', async () => {
    const { setting, events, jobs, victim, other } = on
    const bytes = readFileSync(events)
    const place = bytes.indexOf(Buffer.from('"JobFailed"').subarray(1, 10), bytes.length / 4)
    bytes.fill(0x5a, place, place + 60)
    writeFileSync(events, bytes)
    rmSync(join(setting.service.dataDir, 'views.sqlite'))
    await setting.service.start()
    await until('/ready says so', async () => /the events are damaged/.test(await readiness(setting)))
    expect(await readiness(setting)).to.match(/events\.sqlite, position \d+/)
    await assertNothingAccepted(on, /position \d+/)
    expect(await other.credits()).to.equal(CREDITS)
    // Until a job is ten seconds old, a poll may show its end from the view alone.
    const refused = await until('the job with the damaged event is not answered', async () => {
      const polls = await Promise.all([victim, other].map((client, n) => client.get(`/v1/transcript/${jobs[n]}`)))
      expect(polls.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).to.deep.equal([])
      return polls.find(({ status }) => status === 503)
    })
    expect(refused.body.message).to.contain('damaged')
    const { holds, findings } = JSON.parse((await verify(setting, '--json')).stdout)
    expect(holds).to.equal(false)
    expect(findings[0]).to.include({ file: 'events.sqlite' }).and.include.keys('position', 'problem')
  })

  it('a wrong index entry: verify finds what no read does, and the running service no longer trusts its events', async () => {
    const { setting, events } = on
    {
      // Rebuilds the index under a condition that no event meets, then restores the text of the old condition.
      using database = openBeside(events)
      database.exec(`DROP INDEX events_of_rare_categories;
        CREATE INDEX events_of_rare_categories ON events (category) WHERE category > 9`)
    }
    const bytes = readFileSync(events)
    const condition = bytes.indexOf('WHERE category > 9')
    expect(condition).to.be.above(0)
    bytes.write('WHERE category > 2', condition)
    writeFileSync(events, bytes)
    await setting.service.start()
    expect((await verify(setting)).code).to.equal(1)
    await until('/ready says so', async () => /index events_of_rare_categories/.test(await readiness(setting)))
    await assertNothingAccepted(on, /index events_of_rare_categories/)
  })

  const cuts: Record<string, (events: string, older: string) => void> = {
    'its log is cut to 60 %': (events) =>
      truncateSync(`${events}-wal`, Math.floor(statSync(`${events}-wal`).size * 0.6)),
    'an older copy is put back': (events, older) => {
      rmSync(`${events}-wal`)
      copyFileSync(older, events)
    },
    'it is lost': (events) => rmSync(events),
  }
  for (const [cut, make] of Object.entries(cuts))
    it(`jobs that were accepted, and ${cut} after kill -9: the start is refused until the operator gives them up`, async () => {
      const { setting, events, victim } = on
      const older = await on.acceptSome(10)
      await setting.service.cut()
      make(events, older)
      const refused = /events are missing: .*npm run history -- accept-end/
      await on.assertStartRefused(refused)
      const org = await setting.service.org('grant', victim.orgId, '1')
      expect(org.code).to.equal(1)
      expect(org.stderr).to.match(refused)
      expect(await setting.service.printed('history', 'accept-end')).to.match(
        /end at position \d+; the \d+ positions after it are given up/,
      )
      await setting.service.start()
      await until('it is ready', async () => /"ready"/.test(await readiness(setting)))
    })
})

describe('the event file is taken away while the service runs', function () {
  this.timeout(480_000)
  const on = openedForAll(makeFixture)
  beforeEach(() => on.begin())

  const changes: Record<string, (events: string, older: string) => void> = {
    'is put back to an older copy': (events, older) => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(events + suffix)
      copyFileSync(older, events)
    },
    'is deleted': (events) => rmSync(events),
  }
  for (const [change, make] of Object.entries(changes))
    it(`it ${change}: /ready and accepts report it within seconds, and so does the next start`, async () => {
      const { setting, events, victim } = on
      const older = await on.acceptSome(5)
      await until('it is ready', async () => /"ready"/.test(await readiness(setting)))
      make(events, older)
      await until('/ready says so', async () => /the event file/.test(await readiness(setting)))
      for (const answer of [await victim.transcript(order), await victim.post('/v1/keys', { name: 'another' })]) {
        expect(answer.status, answer.text).to.equal(503)
        expect(answer.body.message).to.match(/^Nothing is accepted now: the event file .* while the service runs/)
      }
      await setting.service.cut()
      await on.assertStartRefused(/the event file|events are missing/)
    })
})
