/** Every page in each of its states: what the tests measure, search for barriers and picture. */
import type { Page } from 'playwright-core'
import { until } from '#test/doubles/service/until.ts'
import { house } from './house.ts'
import { newEmail, PRIVATE, SPOKEN, sendSignIn, sendSignUp, signUp, CAPTIONED as VIDEO } from './people.ts'
import type { WatchedBrowser } from './watched-browser.ts'

/** A person with a browser and an organization. */
export type Onlooker = { page: Page; orgId: string }

/** The onlookers: not signed in, a newcomer, an organization in use, one without credits, an operator. */
export type Onlookers = Record<'nobody' | 'newcomer' | 'customer' | 'spent' | 'operator', Onlooker> & {
  /** Jobs of the customer. */
  jobs: Record<'transcript' | 'speech' | 'extraction' | 'failed' | 'cancelled' | 'running', string>
}

export type Sight = {
  name: string
  who: keyof Omit<Onlookers, 'jobs'>
  /**
   * The path below the dashboard; `/front` is also at `/`. `{org}` is the onlooker's organization, `{transcript}` and
   * so on a job.
   */
  path: string
  /** The status of the page at that path. Default 200. */
  status?: number
  /** A reload ends the state, or a minute does: the page is then as it was before it. */
  isBrief?: true
  /** The steps on the page that lead to the state. */
  act?(page: Page): Promise<void>
}

/** Videos of several platforms and channels, so that lists look as those of a customer. */
const MORE = [
  ...['ktchnRadio1', 'nvlHourPg01', 'nvlHourPg02'].map((id) => `https://www.youtube.com/watch?v=${id}`),
  VIDEO,
]

const DAY_MS = 24 * 60 * 60 * 1000

const follow = (name: string) => (page: Page) => page.getByRole('link', { name }).first().click()
const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()

/** Sends the form as it is, without the checks of the browser. */
async function sendUnchecked(page: Page): Promise<void> {
  await page.evaluate(`for (const form of document.querySelectorAll('main form')) form.noValidate = true`)
  await page.locator('main form button[type=submit]').first().click()
  await page.locator('.problem, .notice.bad').first().waitFor()
}

/** Opens the webhook that was pinged before, with the result. */
async function toWebhook(page: Page): Promise<void> {
  await follow('hooks.example.com')(page)
  await page.getByText('no answer').first().click()
}

async function toCancelBatch(page: Page): Promise<void> {
  await follow('Transcripts of 3 videos')(page)
  await page.goto(`${page.url()}/cancel`)
}

async function fillKey(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('Nightly import')
  await press('Create key')(page)
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
}

async function fillWebhook(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'URL', exact: true }).fill('https://hooks.example.com/video')
  await press('Add webhook')(page)
  await page.getByRole('heading', { name: 'Your new secret' }).waitFor()
}

async function fillPassword(page: Page): Promise<void> {
  await page.getByLabel('Current password').fill('not the right one at all')
  await page.getByLabel('New password', { exact: true }).fill('seven quiet lamps below the stairs')
  await press('Change password')(page)
  await page.locator('.problem').waitFor()
}

const chooseSource = async (page: Page): Promise<void> => {
  await page.getByLabel('Videos', { exact: true }).selectOption('source')
}

/** Requests the cost of a batch of these URLs. */
const fillBatch = (urls: string) => async (page: Page) => {
  await page.getByLabel('URLs').fill(urls)
  await press('Show the cost')(page)
}

/** A row of the table of sights. A path without its first slash is of the onlooker's organization. */
type Row = readonly [name: string, who: Sight['who'], path: string, more?: Pick<Sight, 'status' | 'isBrief' | 'act'>]

const tryOf = (name: string): Row => [`try ${name}`, 'newcomer', `try/${name}`]
const ofVideo = `url=${encodeURIComponent(VIDEO)}`

const rows: readonly Row[] = [
  ['front', 'nobody', '/front'],
  ['plans', 'nobody', '/plans'],
  ['sign in', 'nobody', '/sign-in'],
  ['sign in refused', 'nobody', '/sign-in', { act: (page) => sendSignIn(page, { email: newEmail() }) }],
  ['sign up', 'nobody', '/sign-up'],
  ['sign up refused', 'nobody', '/sign-up', { act: sendUnchecked }],
  ['forgotten password', 'nobody', '/forgot'],
  ['new password', 'nobody', '/reset?token=unknown'],
  ['new password refused', 'nobody', '/reset?token=unknown', { act: sendUnchecked }],
  ['confirm address', 'nobody', '/verify?token=unknown'],
  ['invitation over', 'nobody', '/invitation?token=unknown', { status: 404 }],
  ['no such page', 'nobody', '/nowhere', { status: 404 }],

  ['overview new', 'newcomer', ''],
  ['jobs none', 'newcomer', 'jobs'],
  ['usage none', 'newcomer', 'usage'],
  ['try all', 'newcomer', 'try'],
  ...['transcript', 'extract', 'metadata', 'search', 'profiles', 'channel', 'playlist', 'estimate'].map(tryOf),
  ['try refused', 'newcomer', 'try/metadata?url=nowhere', { act: sendUnchecked }],
  ['no such job', 'newcomer', 'jobs/unknown', { status: 404 }],

  ['overview', 'customer', ''],
  ['jobs', 'customer', 'jobs'],
  ['jobs filtered', 'customer', 'jobs?status=failed'],
  ['jobs none match', 'customer', 'jobs?q=https%3A%2F%2Fyoutu.be%2Faaaaaaaaaaa'],
  ['jobs search refused', 'customer', 'jobs?q=https%3A%2F%2Flocalhost%2Fa.mp4', { status: 400 }],
  ['job transcript', 'customer', 'jobs/{transcript}'],
  ['job transcript searched', 'customer', 'jobs/{transcript}?find=dashwood'],
  ['job speech', 'customer', 'jobs/{speech}'],
  ['job extraction', 'customer', 'jobs/{extraction}'],
  ['job failed', 'customer', 'jobs/{failed}'],
  ['job cancelled', 'customer', 'jobs/{cancelled}'],
  ['job running', 'customer', 'jobs/{running}'],
  ['batch to cancel', 'customer', 'batches', { act: toCancelBatch }],
  ['try answered', 'customer', `try/metadata?${ofVideo}`, { act: press('metadata') }],
  ['try accepted', 'operator', `try/transcript?${ofVideo}`, { act: press('Get the transcript') }],
  ['keys', 'customer', 'keys'],
  ['key refused', 'customer', 'keys', { act: sendUnchecked }],
  ['key made', 'customer', 'keys', { isBrief: true, act: fillKey }],
  ['key to revoke', 'customer', 'keys', { act: follow('Revoke') }],
  ['batches none', 'newcomer', 'batches'],
  ['batches', 'customer', 'batches'],
  ['batch new', 'customer', 'batches/new'],
  ['batch of a source', 'customer', 'batches/new', { act: chooseSource }],
  ['batch with its cost', 'customer', 'batches/new', { isBrief: true, act: fillBatch(VIDEO) }],
  ['batch with wrong lines', 'customer', 'batches/new', { act: fillBatch(`${VIDEO}\nnowhere`) }],
  ['batch without credits', 'spent', 'batches/new', { isBrief: true, act: fillBatch(VIDEO) }],
  ['batch', 'customer', 'batches', { act: follow('Transcripts of 2 videos') }],
  ['watches none', 'newcomer', 'watches'],
  ['watches', 'customer', 'watches'],
  ['watch refused', 'newcomer', 'watches', { act: sendUnchecked }],
  ['watch', 'customer', 'watches', { act: follow('longshelf') }],
  ['webhooks none', 'newcomer', 'webhooks'],
  ['webhooks', 'customer', 'webhooks'],
  ['webhook refused', 'customer', 'webhooks', { act: sendUnchecked }],
  ['webhook made', 'newcomer', 'webhooks', { isBrief: true, act: fillWebhook }],
  ['webhook', 'customer', 'webhooks', { act: toWebhook }],
  ['usage', 'customer', 'usage'],
  ['members', 'customer', 'members'],
  ['member invited', 'customer', 'members', { act: press('Create invitation link') }],
  ['plans of a member', 'customer', 'plans'],
  ['plans requested', 'spent', 'plans', { act: press('Request Starter') }],
  ['settings', 'customer', 'settings'],
  ['account', 'customer', '/account'],
  ['account refused', 'customer', '/account', { act: fillPassword }],
  ['change email', 'customer', '/account/email'],
  ['two-factor', 'customer', '/account/two-factor'],
  ['delete account', 'customer', '/account/delete'],
  ['organizations', 'customer', '/organizations'],

  ['overview without credits', 'spent', ''],
  ['try without credits', 'spent', `try/transcript?${ofVideo}`, { act: press('Get the transcript') }],

  ['operator', 'operator', '/operator'],
  ['operator organization', 'operator', '/operator/org/{org}'],
  ['operator platforms', 'operator', '/operator/platforms'],
  ['operator audit', 'operator', '/operator/audit'],

  // The last sight of the onlooker who is not signed in: it signs in.
  ['first key', 'nobody', '/sign-up', { isBrief: true, act: (page) => sendSignUp(page, {}) }],
]

export const sights: readonly Sight[] = rows.map(([name, who, path, more]) => ({
  name,
  who,
  path: /^\//.test(path) ? path : `/org/{org}${path && `/${path}`}`,
  ...more,
}))

/** Opens a sight. @throws Error if its page is answered with another status */
export async function show({ name, who, path, status = 200, act }: Sight, onlookers: Onlookers): Promise<Page> {
  const { page, orgId } = onlookers[who]
  const jobs: Record<string, string> = onlookers.jobs
  const filled = path.replace(/\{(\w+)\}/g, (_, word: string) => (word === 'org' ? orgId : (jobs[word] ?? word)))
  const answer = await page.goto(`/dashboard${filled}`)
  if (answer?.status() !== status) throw new Error(`${name}: ${filled} is answered ${answer?.status()}`)
  await act?.(page)
  await page.waitForLoadState()
  return page
}

/** Signs all onlookers up, and gives the customer's organization something to show. */
export async function invite(browse: () => Promise<WatchedBrowser>): Promise<Onlookers> {
  const shared = await house()
  const nobody = { page: await (await browse()).tab(), orgId: 'none' }
  const newcomer = await signUp(await browse())
  const customer = await signUp(await browse(), { organization: 'Sense & Sensibility Audiobooks, Ltd.' })
  const operator = await signUp(await browse(), { organization: 'The house' })
  const spent = await signUp(await browse())
  await shared.run('accounts', '--', 'operator', operator.email)
  await shared.run('org', '--', 'plan', customer.orgId, 'starter')
  await spendAll(shared.base, spent.key)
  return { nobody, newcomer, customer, spent, operator, jobs: await jobsOf(shared.base, customer.key) }
}

/** A customer's calls to `/v1` with its key. */
function customerOf(base: string, key: string) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const post = (path: string, body: object): Promise<Response> =>
    fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return {
    async ask(path: string, body: object): Promise<string> {
      return ((await (await post(path, body)).json()) as { jobId: string }).jobId
    },
    ended: (jobId: string) =>
      until(
        `job ${jobId} ends`,
        async () => {
          const answer = await fetch(`${base}/v1/jobs/${jobId}`, { headers })
          return ((await answer.json()) as { endedAt: string | null }).endedAt !== null
        },
        { everyMs: 200 },
      ),
    async webhook(url: string): Promise<void> {
      const made = await post('/v1/webhooks', { url, events: ['job.completed'] })
      await post(`/v1/webhooks/${((await made.json()) as { id: string }).id}/ping`, {})
    },
    batch: (urls: readonly string[], mode = 'native') =>
      post('/v1/batches', { operation: 'transcript', options: { mode }, requests: urls }),
    key: (name: string, limits: object) => post('/v1/keys', { name, ...limits }),
    watch: (handle: string) => post('/v1/watches', { source: { type: 'channel', handle }, every: '1d' }),
    cancel: (jobId: string) => fetch(`${base}/v1/jobs/${jobId}`, { method: 'DELETE', headers }),
  }
}

/** Spends the 50 credits of a sign-up. */
async function spendAll(base: string, key: string): Promise<void> {
  const { ask, ended } = customerOf(base, key)
  for (let n = 0; n < 5; n++) await ended(await ask('/v1/extract', { url: VIDEO, prompt: 'Who?', schema: SCHEMA }))
}

async function jobsOf(base: string, key: string): Promise<Onlookers['jobs']> {
  const { ask, ended, cancel, webhook, batch, key: makeKey, watch } = customerOf(base, key)
  // The URL has no receiver, so each message waits for its next attempt.
  await webhook('https://hooks.example.com/video')
  await batch([VIDEO, PRIVATE])
  await watch('@longshelf')
  await makeKey('Nightly import', { scopes: ['read', 'jobs'], monthlyCredits: 200 })
  await makeKey('Reporting', { scopes: ['read'], expiresAt: new Date(Date.now() + 30 * DAY_MS).toISOString() })
  const transcript = await ask('/v1/transcript', { url: VIDEO, mode: 'native' })
  const extraction = await ask('/v1/extract', { url: VIDEO, prompt: 'Who is mentioned?', schema: SCHEMA })
  const failed = await ask('/v1/transcript', { url: PRIVATE, mode: 'native' })
  const speech = await ask('/v1/transcript', { url: SPOKEN, mode: 'generate' })
  const cancelled = await ask('/v1/transcript', { url: `${SPOKEN}?again`, mode: 'generate' })
  await cancel(cancelled)
  await Promise.all([transcript, extraction, failed, speech, cancelled].map(ended))
  // Makes enough jobs to fill a page of jobs and a page of the ledger.
  for (let n = 0; n < 25; n++) await ended(await ask('/v1/transcript', { url: MORE[n % MORE.length], mode: 'native' }))
  // Posts many jobs at once, so that the last of them waits while the page is open.
  const waiting = Array.from({ length: 6 }, (_, n) =>
    ask('/v1/transcript', { url: `${SPOKEN}?${n}`, mode: 'generate' }),
  )
  const running = (await Promise.all(waiting)).at(-1) ?? ''
  await batch(
    ['a', 'b', 'c'].map((part) => `${SPOKEN}?part=${part}`),
    'generate',
  )
  return { transcript, extraction, failed, speech, cancelled, running }
}

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, said: { type: 'string' } },
  required: ['name'],
}
const SCHEMA = { type: 'object', properties: { people: { type: 'array', items: person } }, required: ['people'] }
