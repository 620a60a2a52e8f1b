import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { madeHistory } from '../history.fixture.ts'
import { openTables } from '../open-tables.ts'
import { readQuestions } from '../questions.ts'
import { archiveOf, askedTables, madeArchive } from '../tables.harness.ts'
import { reportPage } from './report-page.tsx'

async function pageOf(directory: string): Promise<string> {
  await using tables = await openTables(directory)
  return await reportPage(tables.connection)
}

/** The section of a page about one question. */
const sectionOf = (page: string, number: number): string => page.split(`id="q${number}">`)[1]?.split('The SQL')[0] ?? ''

describe('the report', () => {
  let page: string
  before(async () => {
    page = await pageOf(await madeArchive())
  })

  it('answers every question, with two pictures if it names a chart', () => {
    const [, ...questions] = readQuestions()
    for (const { number, title, chart } of questions) {
      const section = sectionOf(page, number)
      expect(section, title).to.contain('<table')
      expect(section.match(/<svg class="(wide|narrow)"/g) ?? [], title).to.have.length(chart === undefined ? 0 : 2)
      expect(section, title).to.not.match(/NaN|Infinity|undefined/)
    }
  })

  it('draws the numbers of the tables', async () => {
    await using tables = await askedTables(await madeArchive())
    const [best] = await tables.ask(
      'SELECT month, sum(usd) AS usd FROM subscriptions GROUP BY month ORDER BY usd DESC LIMIT 1',
    )
    const month = new Date(`${best?.month}-01`).toLocaleString('en-GB', { month: 'short', year: 'numeric' })
    const tips = [...sectionOf(page, 1).matchAll(/<title>(\w+ \d+)\n([^<]+)<\/title>/g)]
    const drawn = tips
      .filter(([, of]) => of === month)
      .flatMap(([, , lines = '']) => [...lines.matchAll(/: \$(\d+)$/gm)])
    // Each bar is in the wide and in the narrow picture.
    expect(drawn.reduce((sum, [, usd]) => sum + Number(usd), 0)).to.equal(2 * Number(best?.usd))
  })

  it('needs no other files', () => {
    expect(page).to.not.match(/<script|<link|<img|@import|url\(|\ssrc=/)
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, to]) => to ?? '')
    expect(links.filter((to) => !/^#q\d+$/.test(to))).to.deep.equal([])
    expect(page).to.contain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
  })

  it('shows text from strangers as text', async () => {
    const hostile = madeHistory().slice(0, 400)
    const at = hostile.findIndex(({ type }) => type === 'CreditsSettled')
    const settled = hostile[at] as StoredEvent & { type: 'CreditsSettled' }
    const reason = '<script>alert(1)</script>\u202e'
    hostile[at] = { ...settled, id: randomUUID(), data: { ...settled.data, reason, charged: 0, refunded: 1 } }
    const text = await pageOf(await archiveOf(hostile))
    expect(text).to.contain('&lt;script>alert(1)')
    expect(text).to.not.contain('<script')
    expect(text).to.not.contain('\u202e')
  })

  it('draws a single month as bars with names, not as a chart with one point', async () => {
    const events = madeHistory()
    const month = (event: StoredEvent | undefined): string => new Date(event?.recordedAt ?? 0).toISOString().slice(0, 7)
    const first = events.filter((event) => month(event) === month(events[0]))
    const text = await pageOf(await archiveOf(first))
    const credits = sectionOf(text, 7)
    expect(credits).to.contain('<svg class="wide"').and.to.contain('class="sum"')
    expect(credits).to.not.contain('<circle')
    expect(text).to.not.match(/>0\.0\d h</)
  })

  it('can be written from a history without jobs', async () => {
    const text = await pageOf(await archiveOf([]))
    expect(text).to.contain('without events yet')
    expect(text).to.not.match(/NaN|Infinity|undefined/)
  })
})
