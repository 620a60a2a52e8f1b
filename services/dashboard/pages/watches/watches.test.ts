import { expect } from 'chai'
import { startSection } from '../../dashboard.harness.ts'
import { watchRoutes } from './watch-routes.tsx'
import { watchesRoutes } from './watches.tsx'

const filled = { source: 'https://www.youtube.com/@SandboxRich', every: '1d', operation: '', backfill: '0' }

async function watches() {
  const section = await startSection('watches', {
    pages: (parts, options) => [...watchesRoutes(parts, options), ...watchRoutes(parts, options)],
  })
  return { ...section, all: () => section.ingress.shared.watches.list(section.orgId) }
}

describe('the pages of watches', () => {
  it('create one from an address, list it, and show it', async () => {
    await using page = await watches()
    expect((await page.ask()).text).to.include('No watches yet')
    await page.ask(page.list, filled)
    await page.ask(page.list, {
      ...filled,
      ...{ source: 'news of today', operation: 'transcript', mode: 'native', maxCreditsPerMonth: '20' },
    })
    const [channel, search] = await page.all()
    expect(channel?.source).to.deep.equal({
      type: 'channel',
      url: 'https://www.youtube.com/@sandboxrich',
      list: 'videos',
    })
    expect(search?.source).to.deep.equal({ type: 'search', q: 'news of today', platform: 'youtube' })
    expect(search?.maxCreditsPerMonth).to.equal(20)
    expect((await page.ask()).text)
      .to.include('@sandboxrich')
      .and.include('“news of today”')
      .and.include('Transcript')
    const own = await page.ask(`${page.list}/${search?.watchId}`)
    expect(own.text).to.include('0 of 20').and.include('No new videos yet')
  })

  it('explain what is wrong with a form, and keep what was typed', async () => {
    await using page = await watches()
    const { answer, text, html } = await page.ask(page.list, { ...filled, every: '15m' })
    expect(answer).to.include({ status: 403 })
    expect(text).to.include('every must be 1d or longer on this plan')
    expect(html).to.include(filled.source)
    const nothing = await page.ask(page.list, { ...filled, source: ' ' })
    expect(nothing.answer).to.include({ status: 400 })
    expect(nothing.text).to.include('Source to watch must not be empty')
    expect(await page.all()).to.deep.equal([])
  })

  it('pause, resume, change and delete one', async () => {
    await using page = await watches()
    await page.ask(page.list, filled)
    const [made] = await page.all()
    const own = `${page.list}/${made?.watchId}`
    await page.ask(`${own}/pause`, {})
    expect((await page.ask(own)).text).to.include('Paused. Paused by a member.')
    await page.ask(`${own}/on`, {})
    expect((await page.all())[0]).to.include({ status: 'on' })
    await page.ask(`${own}/delete`, {})
    expect(await page.all()).to.deep.equal([])
  })
})
