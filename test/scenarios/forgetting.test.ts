/**
 * Forgotten data is gone from answers at once, and from files after the VACUUM of the next night; from an EventStoreDB
 * after a scavenge. Everything else continues.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '#packages/foundation/config/config.ts'
import { readArchive } from '#packages/history/archive/open-archive.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { openAccounts, openMongo } from '#services/host/engines.ts'
import { scavenge } from '#test/doubles/eventstoredb/scavenge.ts'
import { startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { shiftedClock } from '#test/doubles/service/shifted-clock.ts'
import { stringsStored } from '#test/doubles/service/stored-strings.ts'
import { until } from '#test/doubles/service/until.ts'
import { captionText } from '#test/doubles/world/media.ts'

/** Strings of one job, of the rest of its organization, and of a neighbour's job. */
const known = {
  job: ['known-quagga-url', 'known okapi prompt', 'known oryx name', 'known bongo answer', captionText.en[0] ?? ''],
  organization: ['Known Zebra Company', 'known gnu key', 'known-kudu-url', 'person@known-eland.example'],
  neighbour: ['known-impala-url'],
}

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

describe('what is forgotten', function () {
  this.timeout(300_000)
  const model = openedForAll(() => startChatEndpoint({ reply: () => '{"topic": "known bongo answer"}' }))
  const setting = openedForAll(() =>
    Setting.start({
      media: ['captioned.mp4', 'speech.mp3'],
      env: { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'sk-of-a-test', LLM_MAX_FRAMES: '1' },
    }),
  )
  let company: Client
  let neighbour: Client

  before(async () => {
    ;[company, neighbour] = await Promise.all([organization('Known Zebra Company'), organization('Neighbour')])
  })

  async function organization(name: string): Promise<Client> {
    const made = await setting.service.printed('org', 'create', name, '--plan', 'pro', '--json')
    return new Client(() => setting.service.base, JSON.parse(made))
  }
  const stored = (wanted: readonly string[]) => stringsStored(setting.service, wanted)
  const forget = (...words: string[]) => setting.service.command('history', 'forget', ...words)
  /** The same command, with an answer to its question. */
  const typing = (typed: string, id: string): Promise<{ code: number; stderr: string }> =>
    new Promise((resolve) => {
      const words = ['run', '--silent', 'history', '--', 'forget', id]
      const asked = execFile('npm', words, { env: setting.service.env }, (error, _stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr }),
      )
      asked.stdin?.end(`${typed}\n`)
    })
  const isReady = async () => (await fetch(`${setting.service.base}/ready`)).status === 200
  /** A folder for the archive that `history` makes, below the data directory, so that its bytes are searched too. */
  const archive = () => join(setting.service.dataDir, 'archive')
  /** Parquet is compressed, so its rows are counted as well. */
  const archived = async (orgId: string, more = ''): Promise<number> => {
    const sql = `SELECT count(*)::INTEGER FROM events WHERE org_id = '${orgId}' ${more}`
    return await readArchive(archive(), {}, async ({ connection }) =>
      Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0]),
    )
  }
  const goes = async (client: Client): Promise<string> => {
    const { body } = await client.run({ url: at('/speech.mp3?known-impala-url'), mode: 'generate' })
    expect(body.status).to.equal('completed')
    return body.jobId ?? ''
  }
  async function addPerson(): Promise<void> {
    const { dataDir, env } = setting.service
    await using mongo = await openMongo(readConfig(env))
    await using accounts = await openAccounts(await openDataDirectory(dataDir), mongo)
    const [, , , email = ''] = known.organization
    const nothing = { passwordHash: null, identity: null, verifiedAt: null, isOperator: false, promised: null }
    const memberships = [{ orgId: company.orgId, role: 'owner', since: 1 }] as const
    await accounts.create({ id: 'known-person', email, memberships, createdAt: 1, ...nothing })
  }

  /**
   * An EventStoreDB is scavenged. A service with files is restarted with its clock just before 04:00 UTC. If the start
   * takes longer, it is restarted once more.
   */
  async function night(): Promise<void> {
    const { service } = setting
    const { EVENT_STORE_URL: server } = service.env
    if (server !== undefined) return await scavenge(server)
    for (let leadMs = 15_000; ; leadMs *= 2) {
      await service.end('SIGTERM')
      const aheadMs = DAY_MS - ((Date.now() - 4 * HOUR_MS) % DAY_MS) - leadMs
      const at = Date.now() + leadMs
      await service.start({ env: shiftedClock(aheadMs) })
      await until('it is ready', isReady)
      if (Date.now() < at) return
    }
  }

  it('is gone while the service runs, a job as well as its organization, and others continue', async () => {
    const request = {
      url: at('/captioned.mp4?known-quagga-url'),
      prompt: 'known okapi prompt',
      vocabulary: 'known oryx name',
    }
    const { jobId } = (await company.post('/v1/extract', request, { 'idempotency-key': 'k' })).body
    expect((await company.ended(jobId ?? '', '/v1/extract')).body.status).to.equal('completed')
    await company.run({ url: at('/speech.mp3?known-kudu-url'), mode: 'generate' })
    await company.post('/v1/keys', { name: 'known gnu key' })
    await addPerson()
    const kept = await goes(neighbour)
    await setting.service.printed('history', 'export', '--to', archive(), '--with-content')
    expect(await stored([...known.job, ...known.organization])).to.have.length(9)
    expect(await archived(company.orgId)).to.be.above(0)

    // 1. The job, by the API.
    const deleted = await company.delete(`/v1/jobs/${jobId}/content`)
    expect(deleted.status, deleted.text).to.equal(200)
    const archivedJob = (): Promise<number> => archived(company.orgId, `AND stream = 'job-${jobId}'`)
    await until('nor has the archive', async () => (await archivedJob()) === 0, { everyMs: 500 })
    const again = await company.post('/v1/extract', request, { 'idempotency-key': 'k' })
    expect([again.status, again.text]).to.deep.equal([404, (await company.get(`/v1/extract/${jobId}`)).text])
    expect((await company.get('/v1/credits/transactions')).text).to.contain(jobId)

    // 2. Its organization, by the command, which asks for confirmation.
    expect((await typing('another id', company.orgId)).code).to.equal(1)
    expect(await stored(known.organization)).to.have.length(4)
    const forgotten = await typing(company.orgId, company.orgId)
    expect(forgotten.code, forgotten.stderr).to.equal(0)
    expect((await company.get('/v1/me')).status).to.equal(401)
    expect(await archived(company.orgId, "AND category <> 'removal'")).to.equal(0)
    expect(await archived(neighbour.orgId)).to.be.above(0)

    const verify = (...of: string[]) => setting.service.printed('history', 'verify', ...of)
    await Promise.all([verify(), verify('--archive', archive())])

    // 3. Everything else continues, also with rebuilt views; after a restart: below.
    await until('it is ready', isReady)
    await night()
    const gone = [...known.job, ...known.organization]
    await until('no byte is left', async () => (await stored(gone)).length === 0)
    await setting.service.printed('projections', 'rebuild')
    expect(await stored(gone)).to.deep.equal([])
    expect((await neighbour.get(`/v1/transcript/${kept}`)).body.status).to.equal('completed')
    await goes(neighbour)
    expect((await company.get('/v1/me')).status).to.equal(401)
  })

  it('is gone as well if the service is stopped, at once from files, and does not come back with its start', async () => {
    const jobs = (await neighbour.get('/v1/jobs')).body as { jobs?: { jobId: string }[] }
    expect(await stored(known.neighbour)).to.deep.equal(known.neighbour)
    await setting.service.end('SIGTERM')
    for (const { jobId } of jobs.jobs ?? []) {
      const { code, stdout, stderr } = await forget(jobId, '--yes', '--json')
      expect([code, stdout.trim()], stderr).to.deep.equal([0, JSON.stringify({ forgotten: 'job', id: jobId })])
    }
    const { EVENT_STORE_URL: server } = setting.service.env
    if (server === undefined) expect(await stored(known.neighbour)).to.deep.equal([])
    await setting.service.start()
    await until('it is ready', isReady)
    if (server !== undefined) await scavenge(server)
    await until('nothing is left', async () => (await stored(known.neighbour)).length === 0)
    expect((await neighbour.get('/v1/jobs')).body).to.deep.equal({ jobs: [], nextCursor: null })
    expect((await company.get('/v1/me')).status).to.equal(401)
  })
})
