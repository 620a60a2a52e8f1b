import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { listTransactions } from '#packages/accounts/ledger/list-transactions.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import { endJob, type JobEnd } from '#test/doubles/ingress/ended-job.ts'
import { loseViews, startSection } from '../../dashboard.harness.ts'
import { formatDay } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import { sumOf } from './ledger-lines.tsx'
import { usageRoutes } from './usage.tsx'

/** The name of its job in the ledger. */
const NAME = 'youtube.com/watch?v=jNQXAC9IVRw'

const video = { url: 'https://www.youtube.com/watch?v=jNQXAC9IVRw', mode: 'native' }

async function usage(options: Partial<PageOptions> = {}) {
  const section = await startSection('usage', { pages: usageRoutes, options })
  const { keyId, post, remove } = section.org
  return {
    ...section,
    ask: (query = '') => section.ask(section.list + query),
    remove: () => remove(`/v1/keys/${keyId}`),
    async transcript(end: JobEnd = { segments: [] }) {
      const { body } = await post('/v1/transcript', video)
      await endJob(section.ingress, body.jobId, end)
      return body.jobId as string
    },
  }
}

describe('the page of usage', () => {
  it('reports that nothing was used yet, and still shows the ledger', async () => {
    await using page = await usage()
    const { text } = await page.ask()
    expect(text).to.include('No jobs ended in the last 30 days').and.to.include('Sign-up credits')
    expect(text).to.include('Opening balance 0').and.to.include('Change +50').and.to.include('Closing balance 50')
  })

  it('has a chart with a description, a table of its numbers, and totals with names', async () => {
    await using page = await usage()
    await page.transcript()
    await page.transcript()
    const { text, html } = await page.shows('Jobs ended 2')
    expect(html.match(/<svg class="(wide|narrow)"[^>]* role="img"/g)).to.have.length(2)
    expect(text).to.include('2 credits in all.')
    expect(text).to.include('YouTube 2 2').and.to.include('first key 2 2').and.to.include('Transcripts 2 2')
    expect(html).to.not.match(/ style=/)
  })

  it('names keys even after they are revoked', async () => {
    await using page = await usage()
    await page.transcript()
    await page.remove()
    expect((await page.shows('Jobs ended 1')).text).to.include('first key (revoked) 1 1')
  })

  it('shows the ledger in pages, and each page ends where the next begins', async () => {
    await using page = await usage()
    for (let job = 0; job < 25; job++) await page.transcript()
    const first = await page.ask()
    const next = /before=(\d+)#ledger/.exec(first.html)?.[1]
    const second = await page.ask(`?before=${next}`)
    const sumsOf = (text: string) =>
      /Opening balance ([\d,]+) Change (\S+) Closing balance ([\d,]+) (✓ Adds up)/.exec(text)
    const [newer, older] = [sumsOf(first.text), sumsOf(second.text)]
    expect(newer?.[3]).to.equal('25')
    expect(older?.[3]).to.equal(newer?.[1])
    expect(older?.[1]).to.equal('0')
    expect(second.text).to.include('Newest').and.not.to.include('Older')
  })

  it('shows one row per job, and every entry on a click', async () => {
    await using page = await usage()
    await page.transcript()
    await page.shows('Jobs ended 1')
    const byJob = await page.ask()
    expect(byJob.text).to.include(`Transcript: ${NAME} −1`).and.not.to.include('Held for')
    expect(byJob.html).to.include('entries=all#ledger')
    const { text } = await page.ask('?entries=all')
    expect(text).to.include(`${NAME} 0 49`)
    expect(text).to.include(`Held for a transcript: ${NAME} −1 49`)
  })

  it('explains a failure in the job’s own words', async () => {
    await using page = await usage()
    await page.transcript({ code: 'upstream_error', message: 'The host of the file does not exist.' })
    await page.shows('Jobs ended 1')
    expect((await page.ask()).text).to.include(`Transcript, not charged: ${NAME} The host of the file does not exist.`)
  })

  it('can be saved as CSV, with all pages of the ledger', async () => {
    await using page = await usage()
    const jobId = await page.transcript()
    await page.shows('Jobs ended 1')
    const { answer } = await page.ask('/days.csv?days=7')
    const today = new Date(page.clock.now()).toISOString().slice(0, 10)
    expect(answer).to.include({ type: 'download', mediaType: 'text/csv; charset=utf-8' })
    expect('body' in answer && answer.body).to.equal(
      `day,operation,jobs,creditsCharged,creditsRefunded\r\n${today},transcript,1,1,0\r\n`,
    )
    const ledger = (await page.ask('/ledger.csv')).answer
    expect('body' in ledger && String(ledger.body).split('\r\n')).to.have.length(5)
    expect('body' in ledger && ledger.body).to.include(jobId)
  })

  it('explains why its chart begins late if older days are not kept', async () => {
    await using page = await usage({ retentionDays: 7 })
    await page.transcript()
    const { text, html } = await page.shows('Jobs ended 1')
    const first = formatDay(page.clock.now() - 6 * 24 * 3600_000)
    expect(text).to.include(`Begins on ${first}: older usage is not kept.`).and.to.include(`Since ${first} (UTC)`)
    expect(html).to.not.include('Last 30 days')
    expect((await page.ask('?days=7')).text)
      .to.include('Last 7 days')
      .and.not.to.include('not kept')
  })

  it('shows a truncated ledger from its opening balance on, and the ledger adds up', async () => {
    await using page = await usage()
    for (let job = 0; job < 3; job++) await page.transcript()
    const stream = `credits-${page.orgId}`
    const revision = (await page.ingress.memory.read(stream)).length
    const data = { balance: 47, plan: 'free' as const, period: '', renewed: 0, fillings: 0, openDebits: [] }
    const stated = {
      id: randomUUID(),
      type: 'CreditsStated' as const,
      data: { ...data, months: [], holds: [], spending: { period: '', keys: [] } },
      metadata: metadataOf(page.orgId),
    }
    await page.ingress.memory.append(stream, revision - 1, [stated])
    await page.ingress.memory.truncate(stream, revision)
    await page.transcript()
    const { text } = await page.ask()
    expect(text).to.include('Opening balance: older transactions are no longer kept +47').and.not.to.include('sign-up')
    expect(text).to.include('Opening balance 0 Change +46 Closing balance 46 ✓ Adds up')
  })

  it('shows the ledger while the views are unavailable', async () => {
    await using page = await usage()
    loseViews(page.ingress)
    const { text } = await page.ask()
    expect(text).to.include('Your usage cannot be shown right now').and.to.include('Sign-up credits')
  })

  it('detects a ledger that does not add up', async () => {
    await using page = await usage()
    await page.transcript()
    const { transactions } = await listTransactions(page.ingress.memory, page.orgId, { cursor: undefined, limit: 10 })
    expect(sumOf(transactions)).to.deep.equal({ opening: 0, changes: 49, closing: 49, addsUp: true })
    for (const [index, line] of transactions.entries()) {
      const wrong = transactions.with(index, { ...line, balance: line.balance + 1 })
      expect(sumOf(wrong).addsUp).to.equal(false)
    }
  })
})
