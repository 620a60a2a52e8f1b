import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Answer } from '#test/doubles/service/client.ts'
import { addPastJobs } from '#test/doubles/service/past-jobs.ts'
import { Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { replayedDocuments, viewDocumentsOf } from '#test/doubles/service/view-documents.ts'

const JOBS = 40
const WORDS = 400
const GARBAGE = 20 * 1024

/** A service with past jobs, and everything that its customer may ask for. */
export type ViewsHarness = {
  setting: Setting
  path: string
  /** Everything that the customer can ask for, with the answers from before the damage. */
  known: ReadonlyMap<string, string>
  ask(path: string): Promise<Answer>
}

export async function startViewsHarness(): Promise<ViewsHarness & AsyncDisposable> {
  await using opening = new AsyncDisposableStack()
  const setting = opening.use(
    await Setting.start({ env: { RATE_POLLS_PER_MINUTE: '100000', RATE_LIGHT_PER_MINUTE: '100000' } }),
  )
  const me = await setting.client({ plan: 'pro' })
  const jobIds = await addPastJobs(await setting.backDoor(), me.orgId, JOBS, WORDS)
  const ask = (path: string) => me.get(path)
  const paths = ['/v1/keys', '/v1/jobs?limit=100', ...jobIds.map((jobId) => `/v1/transcript/${jobId}`)]
  const isShown = async () => (await ask('/v1/jobs?status=completed&limit=100')).text.split('jobId').length === JOBS + 1
  await until('the views have all jobs', isShown)
  const restart = async (): Promise<void> => {
    await setting.service.end('SIGTERM')
    await setting.service.start()
    await until('it is ready', async () => (await fetch(`${setting.service.base}/ready`)).ok)
  }
  // After a restart the ingress has no answers in memory: it reads everything from the views.
  await restart()
  const known = new Map<string, string>()
  for (const path of paths) {
    const { status, text } = await ask(path)
    expect(status).to.equal(200)
    known.set(path, withoutUse(text))
  }
  await restart()
  const moved = opening.move()
  const path = join(setting.service.dataDir, 'views.sqlite')
  return { setting, path, known, ask, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

/** Removes the time when a key was last used, which is best effort. */
const withoutUse = (text: string): string => text.replace(/"lastUsedAt":("[^"]*"|null)/g, '')

/** Asks for everything. A job must be answered with its known end; lists may be refused for a while. */
export async function assertNothingWrong({ known, ask }: ViewsHarness): Promise<void> {
  for (const [path, before] of known) {
    const { status, text } = await ask(path)
    if (status === 503 && !path.startsWith('/v1/transcript/')) expect(text).to.contain('rebuilt')
    else expect([path, status, withoutUse(text)]).to.deep.equal([path, 200, before])
  }
}

export async function assertHealed(harness: ViewsHarness): Promise<void> {
  const { setting, known, ask } = harness
  const { service } = setting
  await until('it is ready', async () => (await fetch(`${service.base}/ready`)).ok)
  await assertNothingWrong(harness)
  const isWhole = async () =>
    (await fetch(`${service.base}/ready`)).ok && (await ask('/v1/jobs?limit=100')).status === 200
  await until('it is whole', isWhole)
  for (const [path, before] of known) {
    const { status, text } = await ask(path)
    expect([path, status, withoutUse(text)]).to.deep.equal([path, 200, before])
  }
  const replayed = await replayedDocuments(await setting.backDoor(), service.dataDir)
  expect(await viewDocumentsOf(service)).to.deep.equal(replayed)
}

/** Damages the views while the service runs: it notices, and no answer is wrong. */
export async function assertSurvives(on: ViewsHarness, damage: (path: string) => Promise<void>): Promise<void> {
  const before = warnings(on)
  await damage(on.path)
  await assertNothingWrong(on)
  await until('it has noticed', () => warnings(on) > before)
  await assertHealed(on)
}

/** Damages the views while the service is stopped: it starts, and no answer is wrong. */
export async function assertStartsDespite(on: ViewsHarness, damage: (path: string) => Promise<void>): Promise<void> {
  const { service } = on.setting
  await service.end('SIGTERM')
  await damage(on.path)
  await service.start()
  await assertNothingWrong(on)
  await assertHealed(on)
}

export async function overwrite(path: string, at: number, bytes: Buffer): Promise<void> {
  await using file = await open(path, 'r+')
  await file.write(bytes, 0, bytes.length, at)
}

export const middle = async (path: string): Promise<number> => Math.floor((await stat(path)).size / 2)
export const garbage = Buffer.alloc(GARBAGE, 'Views were here. ')

/** How often the service has reported that it has lost its views. */
export const warnings = ({ setting }: ViewsHarness): number =>
  setting.service.output.split(/the views are lost|file of the views is damaged/).length
