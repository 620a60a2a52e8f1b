import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { failures } from '#packages/domain/job/failure.ts'
import { statusOf } from '#packages/foundation/errors/service-error.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { openedForAll } from '#test/doubles/opened.ts'

describe('GET /docs/errors', () => {
  const ingress = openedForAll(() => startIngress({ clock }))
  let page: Awaited<ReturnType<StartedIngress['call']>>
  before(async () => {
    page = await ingress.call('GET', '/docs/errors')
  })

  const sectionOf = (code: string): string =>
    page.text.split('<section ').find((section) => section.startsWith(`id="${code}" `)) ?? ''

  it('says of every code once what it means, whether the caller was charged, and what to do', () => {
    const codes = [...new Set([...Object.keys(statusOf), ...Object.keys(failures)])]
    const ids = [...page.text.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id)
    expect(ids.sort()).to.deep.equal(codes.sort())
    for (const code of codes) {
      const kinds = [code in statusOf, code in failures].filter(Boolean).length
      for (const title of ['What it means', 'Were you charged\\?', 'What to do'])
        expect(sectionOf(code).match(new RegExp(`<dt>${title}</dt><dd>.{3,}</dd>`, 'g')), code).to.have.length(kinds)
    }
  })

  it('is where the documentationUrl of an error leads', async () => {
    const { body } = await ingress.call('GET', '/v1/me')
    expect(body.documentationUrl).to.equal(`${ingress.base}/docs/errors#unauthorized`)
    expect(await (await fetch(body.documentationUrl)).text()).to.equal(page.text)
    expect(sectionOf('unauthorized')).to.contain('status 401').and.to.contain('<code>x-api-key</code>')
  })
})
