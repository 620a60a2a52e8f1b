import { expect } from 'chai'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { loseViews, startSection } from '../../dashboard.harness.ts'
import { overviewRoutes } from './overview.tsx'

const URL = 'https://www.youtube.com/watch?v=jNQXAC9IVRw'
const DAY_MS = 24 * 60 * 60 * 1000

async function overview() {
  const section = await startSection('', { pages: overviewRoutes })
  const { orgId } = section
  const spend = (jobId: string, credits: number) =>
    section.ingress.ledgers.execute(orgId, { command: debit(jobId, credits), metadata: metadataOf(orgId) })
  return { ...section, spend }
}

describe('the overview', () => {
  it('shows the credits and the plan, and the first call if there is no job yet', async () => {
    await using page = await overview()
    const { text, html } = await page.shows('YOUR_KEY')
    expect(html).to.include('data-island="live"')
    expect(text).to.include('Credits available 50').and.to.include('Credits held 0').and.to.include('Plan Free')
    expect(text).to.include("curl 'http://localhost:8080/v1/transcript'")
    expect(text).to.not.include('Needs attention')
  })

  it('shows the newest jobs, the credits spent, and the last day’s failures by cause', async () => {
    await using page = await overview()
    const [hidden, silent] = ['The video is private.', 'No speech was found in the video.']
    const ends = [
      { code: 'video_private', message: hidden },
      { code: 'video_private', message: hidden },
      { code: 'cancelled', message: 'It was cancelled.' },
      { code: 'no_speech', message: silent },
    ]
    for (const end of ends) {
      const { body } = await page.org.post('/v1/transcript', { url: URL, mode: 'native' })
      await endJob(page.ingress, body.jobId, end)
    }
    const { body } = await page.org.post('/v1/transcript', { url: URL, mode: 'native' })
    await endJob(page.ingress, body.jobId, { segments: [] })
    const { text, html } = await page.shows('Spent this month 1')
    expect(html).to.not.include('data-island="live"')
    expect(text).to.include(`2 × ${hidden}`).and.to.include(`1 × ${silent}`)
    expect(text).to.not.include('It was cancelled.')
    expect(html).to.include(`/dashboard/org/${page.org.orgId}/jobs/${body.jobId}`)
    page.clock.move(2 * DAY_MS)
    expect((await page.ask()).text).to.not.include('The video is private')
  })

  it('warns when credits run out, and explains how to get more', async () => {
    await using page = await overview()
    const words = `href="/dashboard/org/${page.org.orgId}/plans">Upgrade your plan`
    await page.spend('one', 45)
    expect((await page.ask()).html)
      .to.include('5 credits left')
      .and.to.include(words)
    await page.spend('two', 5)
    expect((await page.ask()).html)
      .to.include('No credits left')
      .and.to.include('Get more credits')
      .and.to.include(words)
  })

  it('names keys that expire within a week', async () => {
    await using page = await overview()
    const expiresAt = new Date(page.clock.now() + 8 * DAY_MS).toISOString()
    await page.org.post('/v1/keys', { name: 'Nightly <import>', expiresAt })
    expect((await page.ask()).text).to.not.include('Nightly')
    page.clock.move(1.5 * DAY_MS)
    const { html } = await page.shows('A key expires soon')
    expect(html).to.include('Nightly &lt;import>: expires on')
  })

  it('shows everything else while the views or the store are unavailable', async () => {
    await using page = await overview()
    await page.shows('YOUR_KEY')
    loseViews(page.ingress)
    const without = await page.ask()
    expect(without.text).to.include('Credits available 50').and.to.include('Your jobs cannot be shown right now')
    page.ingress.store.beforeRead = () => Promise.reject(new UnreachableError('the store', undefined))
    expect((await page.ask()).text).to.include('Your credits cannot be shown right now')
  })
})
