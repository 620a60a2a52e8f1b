/** `npm run projections -- rebuild`: rebuilds the views while the service runs. */
import { expect } from 'chai'
import { openedForAll } from '#test/doubles/opened.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { replayedDocuments, viewDocumentsOf } from '#test/doubles/service/view-documents.ts'

/** Of the 120 that an organization on this plan may request in a minute. */
const MOST_JOBS = 50

const captioned = { url: at('/captioned.mp4'), mode: 'native' }
/** They end at once, so there are many such jobs while the command runs. */
const missing = { url: at('/nothing.mp4'), mode: 'native' }

/** Runs the command, and requests jobs until it has ended. @returns what it printed, and these jobs */
async function rebuild({ service }: Setting, me: Client) {
  const rebuilds = service.printed('projections', 'rebuild')
  const meanwhile: string[] = []
  for (let over = false; !over && meanwhile.length < MOST_JOBS; ) {
    meanwhile.push(await me.enqueue(meanwhile.length % 10 === 0 ? captioned : missing))
    over = await Promise.race([rebuilds.then(() => true), me.credits().then(() => false)])
  }
  return { stdout: await rebuilds, meanwhile }
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
  const setting = openedForAll(() => Setting.start({ media: ['captioned.mp4'] }))

  it('rebuilds the views while the service serves, and loses nothing that happens meanwhile', async () => {
    const me = await setting.client({ plan: 'pro' })
    const before = await me.run(captioned)
    const { stdout, meanwhile } = await rebuild(setting, me)
    expect(stdout).to.contain('rebuilt')
    const after = await me.run(captioned)
    expect(after.body.status).to.equal('completed')
    for (const [n, jobId] of meanwhile.entries())
      expect((await me.ended(jobId)).body.status).to.equal(n % 10 === 0 ? 'completed' : 'failed')
    expect((await me.get(`/v1/transcript/${before.body.jobId}`)).body).to.deep.equal(before.body)
    await assertAsReplayed(setting)
  })

  it('prints its usage for any other command, and changes nothing', async () => {
    const { code, stdout, stderr } = await setting.service.command('projections', 'reset')
    expect(code).to.equal(1)
    expect(stdout).to.equal('')
    expect(stderr).to.contain('Usage: npm run projections -- rebuild')
  })
})
