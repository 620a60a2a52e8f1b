import { expect } from 'chai'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { streams } from '#packages/ports/ids.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { startSection } from '../../dashboard.harness.ts'
import { webhookRoutes } from './webhook-routes.tsx'
import { webhooksRoutes } from './webhooks.tsx'

const filled = { url: 'https://hooks.example.com/video?token=hush', events: ['job.completed', 'credits.low'] }

async function webhooks() {
  const section = await startSection('webhooks', {
    pages: (parts, options) => [...webhooksRoutes(parts, options), ...webhookRoutes(parts, options)],
  })
  const { list, ask, orgId } = section
  const ids = async () => (await section.ingress.shared.webhooks.list(orgId)).map(({ id }) => id)
  return {
    ...section,
    /** Creates a webhook with the form. @returns the path of its page */
    async made(): Promise<string> {
      await ask(list, filled)
      return `${list}/${(await ids()).at(-1)}`
    },
    ids,
  }
}

const secretIn = (text: string): string => /whsec_[\w+/=]+/.exec(text)?.[0] ?? ''

describe('the pages of webhooks', () => {
  it('create one, show its secret only on the next page, and list it by its host', async () => {
    await using page = await webhooks()
    expect((await page.ask()).text).to.include('No webhooks yet')
    const { answer, text } = await page.ask(page.list, filled)
    expect(answer).to.include({ title: 'Your new secret' })
    const secret = secretIn(text)
    expect(secret).to.have.length.greaterThan(40)
    const listed = await page.ask()
    expect(listed.text).to.include('hooks.example.com job.completed, credits.low On')
    expect(listed.html).to.not.include(secret).and.not.include('hush')
    const [id] = await page.ids()
    const own = await page.ask(`${page.list}/${id}`)
    expect(own.text).to.include(filled.url)
    expect(own.html).to.not.include(secret)
  })

  it('show each problem beside its field, and keep what was typed', async () => {
    await using page = await webhooks()
    for (const [form, words] of [
      [{ url: 'https://10.0.0.1/' }, 'URL must name a public host, not an address'],
      [{ url: 'http://hooks.example.com/' }, 'URL must begin with https://'],
      [{ events: [] }, 'Events must not be empty'],
    ] as const) {
      const { answer, text, html } = await page.ask(page.list, { ...filled, ...form } as typeof filled)
      expect(answer).to.include({ status: 400 })
      expect(text).to.include(words)
      expect(html).to.include(`value="${'url' in form ? form.url : filled.url}"`)
    }
    expect(await page.ids()).to.deep.equal([])
    const path = await page.made()
    const moved = await page.ask(path, { ...filled, url: 'nowhere' })
    expect(moved.answer).to.include({ status: 400 })
    expect(moved.html).to.include('value="nowhere"')
    const late = await page.ask(`${path}/replay`, { from: '2999-01-01T00:00' })
    expect(late.text).to.include('From (UTC) must be in the past')
  })

  it('change it, switch it off and on, replace its secret, and delete it', async () => {
    await using page = await webhooks()
    const path = await page.made()
    const notice = async (under: string, form = {}) => (await page.ask(path + under, form)).answer
    expect(await notice('', { url: filled.url, events: 'job.failed', results: 'on' })).to.include({
      notice: 'webhook-changed',
    })
    expect((await page.ask()).text).to.include('job.failed On')
    expect(await notice('/off')).to.include({ notice: 'webhook-off' })
    expect((await page.ask(path)).text).to.include('Off: nothing is sent. Switched off by a member.')
    expect((await page.ask(`${path}/ping`, {})).text).to.include('switch it on first')
    expect(await notice('/on')).to.include({ notice: 'webhook-on' })
    const rotated = await page.ask(`${path}/rotate`, {})
    expect(rotated.text).to.include('Your new secret: hooks.example.com')
    expect(secretIn(rotated.text)).to.not.equal('')
    const ofJobs = await page.ask(`${page.list}/secret`, {})
    expect(ofJobs.text).to.include('for single jobs')
    expect(secretIn(ofJobs.text)).to.not.equal('')
    expect(await notice('/delete')).to.include({ to: page.list, notice: 'webhook-deleted' })
    expect((await failureOf<ServiceError>(page.ask(path))).code).to.equal('not_found')
  })

  it('show each message, with every attempt and its answer as text, and send it again', async () => {
    await using page = await webhooks()
    const { orgId } = page
    const path = await page.made()
    expect((await page.ask(path)).text).to.include('None yet. Send a ping')
    expect((await page.ask(`${path}/ping`, {})).answer).to.include({ notice: 'webhook-pinged' })
    const [id = ''] = await page.ids()
    const list = () =>
      page.ingress.shared.deliveries.list(orgId, id, { status: undefined, cursor: undefined, limit: 1 })
    const ping = (await list()).deliveries[0]?.id ?? ''
    const attempt = { attempt: 1, failure: null, milliseconds: 1234, nextInSeconds: 5 }
    const data = { ...attempt, status: 500, answer: '<script>down</script>' }
    const attempted = { id: crypto.randomUUID(), type: 'DeliveryAttempted', data, metadata: metadataOf(orgId) } as const
    await page.ingress.memory.append(streams.delivery(ping), 0, [attempted])
    const { text, html } = await page.askUntil({ orgId, path }, 'answered 500')
    expect(text).to.include('1 attempt: answered 500').and.include('1,234 ms')
    expect(html).to.include('&lt;script>down').and.not.include('<script>down')
    const again = await page.ask(`${path}/deliveries/${ping}/redeliver`, {})
    expect(again.answer).to.include({ notice: 'webhook-redelivered' })
    const replayed = await page.ask(`${path}/replay`, { from: '2026-11-20T10:00' })
    expect(replayed.answer).to.include({ notice: 'webhook-replayed' })
  })

  it('count actions that send messages as heavy requests', async () => {
    await using page = await webhooks()
    const path = await page.made()
    const notices = new Set<unknown>()
    for (let n = 0; n < 31; n++) {
      const { answer, text } = await page.ask(`${path}/ping`, {})
      notices.add('notice' in answer ? answer.notice : /Too many requests/.exec(text)?.[0])
    }
    expect([...notices]).to.deep.equal(['webhook-pinged', 'Too many requests'])
  })
})
