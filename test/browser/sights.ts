/** Every page in each of its states: what the tests measure, search for barriers and picture. */
import type { Page } from 'playwright-core'
import { until } from '#test/doubles/service/until.ts'
import { house } from './house.ts'
import { newEmail, sendSignIn, sendSignUp, signUp } from './people.ts'
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

const VIDEO = 'https://www.youtube.com/watch?v=nvlHourCh01'
const PRIVATE = 'https://www.youtube.com/watch?v=nvlPrivate1'
const SPOKEN = 'http://films.example.com/sense-and-sensibility.mp4'
/** Videos of several platforms and channels, so that lists look as those of a customer. */
const MORE = [
  ...['ktchnRadio1', 'nvlHourPg01', 'nvlHourPg02'].map((id) => `https://www.youtube.com/watch?v=${id}`),
  VIDEO,
]

const DAY_MS = 24 * 60 * 60 * 1000

const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()

/** Sends the form as it is, without the checks of the browser. */
async function sendUnchecked(page: Page): Promise<void> {
  await page.evaluate(`for (const form of document.querySelectorAll('main form')) form.noValidate = true`)
  await page.locator('main form button[type=submit]').first().click()
  await page.locator('.problem, .notice.bad').first().waitFor()
}

/** Opens the webhook that was pinged before, with the result. */
async function toWebhook(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'hooks.example.com' }).first().click()
  await page.getByText('no answer').first().click()
}

const toBatch = (page: Page) => page.getByRole('link', { name: 'Transcripts of 2 videos' }).first().click()

const chooseSource = async (page: Page): Promise<void> => {
  await page.getByLabel('Videos', { exact: true }).selectOption('source')
}

/** Requests the cost of a batch of these URLs. */
const fillBatch = (urls: string) => async (page: Page) => {
  await page.getByLabel('URLs').fill(urls)
  await press('Show the cost')(page)
}

const tryOf = (name: string): Sight => ({ name: `try ${name}`, who: 'newcomer', path: `/org/{org}/try/${name}` })

export const sights: readonly Sight[] = [
  { name: 'front', who: 'nobody', path: '/front' },
  { name: 'plans', who: 'nobody', path: '/plans' },
  { name: 'sign in', who: 'nobody', path: '/sign-in' },
  {
    name: 'sign in refused',
    who: 'nobody',
    path: '/sign-in',
    act: (page) => sendSignIn(page, { email: newEmail() }),
  },
  { name: 'sign up', who: 'nobody', path: '/sign-up' },
  { name: 'sign up refused', who: 'nobody', path: '/sign-up', act: sendUnchecked },
  { name: 'forgotten password', who: 'nobody', path: '/forgot' },
  { name: 'new password', who: 'nobody', path: '/reset?token=unknown' },
  { name: 'new password refused', who: 'nobody', path: '/reset?token=unknown', act: sendUnchecked },
  { name: 'confirm address', who: 'nobody', path: '/verify?token=unknown' },
  { name: 'invitation over', who: 'nobody', path: '/invitation?token=unknown', status: 404 },
  { name: 'no such page', who: 'nobody', path: '/nowhere', status: 404 },

  { name: 'overview new', who: 'newcomer', path: '/org/{org}' },
  { name: 'jobs none', who: 'newcomer', path: '/org/{org}/jobs' },
  { name: 'usage none', who: 'newcomer', path: '/org/{org}/usage' },
  { name: 'try all', who: 'newcomer', path: '/org/{org}/try' },
  ...['transcript', 'extract', 'metadata', 'search', 'profiles', 'channel', 'playlist', 'estimate'].map(tryOf),
  { name: 'try refused', who: 'newcomer', path: '/org/{org}/try/metadata?url=nowhere', act: sendUnchecked },
  { name: 'no such job', who: 'newcomer', path: '/org/{org}/jobs/unknown', status: 404 },

  { name: 'overview', who: 'customer', path: '/org/{org}' },
  { name: 'jobs', who: 'customer', path: '/org/{org}/jobs' },
  { name: 'jobs filtered', who: 'customer', path: '/org/{org}/jobs?status=failed' },
  { name: 'jobs none match', who: 'customer', path: '/org/{org}/jobs?q=https%3A%2F%2Fyoutu.be%2Faaaaaaaaaaa' },
  {
    name: 'jobs search refused',
    who: 'customer',
    path: '/org/{org}/jobs?q=https%3A%2F%2Flocalhost%2Fa.mp4',
    status: 400,
  },
  { name: 'job transcript', who: 'customer', path: '/org/{org}/jobs/{transcript}' },
  { name: 'job transcript searched', who: 'customer', path: '/org/{org}/jobs/{transcript}?find=dashwood' },
  { name: 'job speech', who: 'customer', path: '/org/{org}/jobs/{speech}' },
  { name: 'job extraction', who: 'customer', path: '/org/{org}/jobs/{extraction}' },
  { name: 'job failed', who: 'customer', path: '/org/{org}/jobs/{failed}' },
  { name: 'job cancelled', who: 'customer', path: '/org/{org}/jobs/{cancelled}' },
  { name: 'job running', who: 'customer', path: '/org/{org}/jobs/{running}' },
  {
    name: 'batch to cancel',
    who: 'customer',
    path: '/org/{org}/batches',
    async act(page) {
      await page.getByRole('link', { name: 'Transcripts of 3 videos' }).first().click()
      await page.goto(`${page.url()}/cancel`)
    },
  },
  {
    name: 'try answered',
    who: 'customer',
    path: `/org/{org}/try/metadata?url=${encodeURIComponent(VIDEO)}`,
    act: press('metadata'),
  },
  {
    name: 'try accepted',
    who: 'operator',
    path: `/org/{org}/try/transcript?url=${encodeURIComponent(VIDEO)}`,
    act: press('Get the transcript'),
  },
  { name: 'keys', who: 'customer', path: '/org/{org}/keys' },
  { name: 'key refused', who: 'customer', path: '/org/{org}/keys', act: sendUnchecked },
  {
    name: 'key made',
    isBrief: true,
    who: 'customer',
    path: '/org/{org}/keys',
    async act(page) {
      await page.getByLabel('Name').fill('Nightly import')
      await press('Create key')(page)
      await page.getByRole('heading', { name: 'Your new key' }).waitFor()
    },
  },
  {
    name: 'key to revoke',
    who: 'customer',
    path: '/org/{org}/keys',
    act: (page) => page.getByRole('link', { name: 'Revoke' }).first().click(),
  },
  { name: 'batches none', who: 'newcomer', path: '/org/{org}/batches' },
  { name: 'batches', who: 'customer', path: '/org/{org}/batches' },
  { name: 'batch new', who: 'customer', path: '/org/{org}/batches/new' },
  { name: 'batch of a source', who: 'customer', path: '/org/{org}/batches/new', act: chooseSource },
  {
    name: 'batch with its cost',
    isBrief: true,
    who: 'customer',
    path: '/org/{org}/batches/new',
    act: fillBatch(VIDEO),
  },
  {
    name: 'batch with wrong lines',
    who: 'customer',
    path: '/org/{org}/batches/new',
    act: fillBatch(`${VIDEO}\nnowhere`),
  },
  {
    name: 'batch without credits',
    isBrief: true,
    who: 'spent',
    path: '/org/{org}/batches/new',
    act: fillBatch(VIDEO),
  },
  { name: 'batch', who: 'customer', path: '/org/{org}/batches', act: toBatch },
  { name: 'watches none', who: 'newcomer', path: '/org/{org}/watches' },
  { name: 'watches', who: 'customer', path: '/org/{org}/watches' },
  { name: 'watch refused', who: 'newcomer', path: '/org/{org}/watches', act: sendUnchecked },
  {
    name: 'watch',
    who: 'customer',
    path: '/org/{org}/watches',
    act: (page) => page.getByRole('link', { name: 'longshelf' }).first().click(),
  },
  { name: 'webhooks none', who: 'newcomer', path: '/org/{org}/webhooks' },
  { name: 'webhooks', who: 'customer', path: '/org/{org}/webhooks' },
  { name: 'webhook refused', who: 'customer', path: '/org/{org}/webhooks', act: sendUnchecked },
  {
    name: 'webhook made',
    isBrief: true,
    who: 'newcomer',
    path: '/org/{org}/webhooks',
    async act(page) {
      await page.getByRole('textbox', { name: 'URL', exact: true }).fill('https://hooks.example.com/video')
      await press('Add webhook')(page)
      await page.getByRole('heading', { name: 'Your new secret' }).waitFor()
    },
  },
  { name: 'webhook', who: 'customer', path: '/org/{org}/webhooks', act: toWebhook },
  { name: 'usage', who: 'customer', path: '/org/{org}/usage' },
  { name: 'members', who: 'customer', path: '/org/{org}/members' },
  { name: 'member invited', who: 'customer', path: '/org/{org}/members', act: press('Create invitation link') },
  { name: 'plans of a member', who: 'customer', path: '/org/{org}/plans' },
  { name: 'plans requested', who: 'spent', path: '/org/{org}/plans', act: press('Request Starter') },
  { name: 'settings', who: 'customer', path: '/org/{org}/settings' },
  { name: 'account', who: 'customer', path: '/account' },
  {
    name: 'account refused',
    who: 'customer',
    path: '/account',
    async act(page) {
      await page.getByLabel('Current password').fill('not the right one at all')
      await page.getByLabel('New password', { exact: true }).fill('seven quiet lamps below the stairs')
      await press('Change password')(page)
      await page.locator('.problem').waitFor()
    },
  },
  { name: 'change email', who: 'customer', path: '/account/email' },
  { name: 'two-factor', who: 'customer', path: '/account/two-factor' },
  { name: 'delete account', who: 'customer', path: '/account/delete' },
  { name: 'organizations', who: 'customer', path: '/organizations' },

  { name: 'overview without credits', who: 'spent', path: '/org/{org}' },
  {
    name: 'try without credits',
    who: 'spent',
    path: `/org/{org}/try/transcript?url=${encodeURIComponent(VIDEO)}`,
    act: press('Get the transcript'),
  },

  { name: 'operator', who: 'operator', path: '/operator' },
  { name: 'operator organization', who: 'operator', path: '/operator/org/{org}' },
  { name: 'operator platforms', who: 'operator', path: '/operator/platforms' },
  { name: 'operator audit', who: 'operator', path: '/operator/audit' },

  // The last sight of the onlooker who is not signed in: it signs in.
  { name: 'first key', isBrief: true, who: 'nobody', path: '/sign-up', act: (page) => sendSignUp(page, {}) },
]

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
