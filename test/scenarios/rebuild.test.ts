/** `npm run projections -- rebuild`: the views are made anew while the service goes on. */
import { join } from 'node:path'
import { expect } from 'chai'
import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { shardOf } from '#packages/ports/shards.ts'
import { openViewsMender } from '#services/host/engines.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { replayedDocuments, viewDocumentsOf } from '#test/doubles/service/view-documents.ts'

/** Of the 120 that an organization on this plan may ask for in a minute. */
const MOST_JOBS = 50

/** Writes a wrong balance, a wrong job, and removes one job behind the back of the service. */
async function damage({ service }: Setting, orgId: string, [wrong = '', missing = '']: string[]): Promise<void> {
  await using mongo = service.env.MONGODB_URL ? new MongoConnection({ url: service.env.MONGODB_URL }) : undefined
  const views = join(service.dataDir, 'views.sqlite')
  await using mender = await openViewsMender({ views }, { clock, mongo })
  const [found] = (await mender?.getMany('jobs', [missing])) ?? []
  const upTo = Number.MAX_SAFE_INTEGER - 1
  await mender?.put([
    { collection: 'balances', id: orgId, upTo, made: { position: 1, fields: { plan: 'free', balance: 1_000_000 } } },
    { collection: 'jobs', id: wrong, upTo, made: { position: 1, fields: { orgId, status: 'queued' } } },
    { collection: 'jobs', id: missing, upTo: found?.position ?? 0, made: undefined },
  ])
  const damaged = await viewDocumentsOf(service)
  expect(damaged[`balances/${orgId}`]).to.include({ balance: 1_000_000 })
  expect(damaged[`jobs/${wrong}`]).to.include({ position: 1 })
  expect(damaged[`jobs/${missing}`]).to.equal(undefined)
}

/** Runs the command, and asks for jobs until it has ended. @returns what it printed, and these jobs */
async function rebuild({ service }: Setting, me: Client, ...words: string[]) {
  const rebuilds = service.npm('run', '--silent', 'projections', '--', 'rebuild', ...words)
  const meanwhile: string[] = []
  for (let over = false; !over && meanwhile.length < MOST_JOBS; ) {
    meanwhile.push(await me.enqueue({ url: at('/captioned.mp4'), mode: 'native' }))
    over = await Promise.race([rebuilds.then(() => true), me.credits().then(() => false)])
  }
  const { code, stdout, stderr } = await rebuilds
  expect(code, stderr).to.equal(0)
  return { stdout, meanwhile }
}

async function assertAsReplayed(setting: Setting): Promise<void> {
  const { service } = setting
  await setting.rest()
  const replayed = await replayedDocuments(await setting.backDoor(), service.dataDir)
  const isSame = async () => JSON.stringify(await viewDocumentsOf(service)) === JSON.stringify(replayed)
  await until('the views equal a replay', isSame).catch(() => undefined)
  expect(await viewDocumentsOf(service)).to.deep.equal(replayed)
}

describe('npm run projections -- rebuild', function () {
  this.timeout(180_000)
  let setting: Setting
  before(async () => {
    setting = await Setting.start({ media: ['captioned.mp4'] })
  })
  after(() => setting[Symbol.asyncDispose]())

  it('makes the views anew while the service serves, and loses nothing that happens meanwhile', async () => {
    const me = await setting.client({ plan: 'pro' })
    const before = await me.run({ url: at('/captioned.mp4'), mode: 'native' })
    const { stdout, meanwhile } = await rebuild(setting, me)
    expect(stdout).to.contain('made anew')
    const after = await me.run({ url: at('/captioned.mp4'), mode: 'native' })
    expect(after.body.status).to.equal('completed')
    for (const jobId of meanwhile) expect((await me.ended(jobId)).body.status).to.equal('completed')
    expect((await me.get(`/v1/transcript/${before.body.jobId}`)).body).to.deep.equal(before.body)
    await assertAsReplayed(setting)
  })

  it('--shard makes wrong and missing documents of a shard right again while the service serves', async () => {
    const me = await setting.client({ plan: 'pro' })
    const ran = [await me.run({ url: at('/captioned.mp4'), mode: 'native' })]
    ran.push(await me.run({ url: at('/captioned.mp4'), mode: 'native' }))
    // Sums are written within a second: a late one would write over the damage.
    await assertAsReplayed(setting)
    await damage(
      setting,
      me.orgId,
      ran.map(({ body }) => String(body.jobId)),
    )
    const { stdout, meanwhile } = await rebuild(setting, me, '--shard', String(shardOf(me.orgId)))
    expect(stdout).to.contain('documents were made anew')
    for (const jobId of meanwhile) expect((await me.ended(jobId)).body.status).to.equal('completed')
    for (const { body } of ran) expect((await me.get(`/v1/transcript/${body.jobId}`)).body).to.deep.equal(body)
    await assertAsReplayed(setting)
  })

  it('prints its usage for any other command, and changes nothing', async () => {
    const { code, stdout, stderr } = await setting.service.npm('run', '--silent', 'projections', '--', 'reset')
    expect(code).to.equal(1)
    expect(stdout).to.equal('')
    expect(stderr).to.contain('Usage: npm run projections -- rebuild')
  })
})
