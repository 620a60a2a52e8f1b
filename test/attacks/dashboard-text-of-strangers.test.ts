import { expect } from 'chai'
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { appendToJob, endJob } from '#test/doubles/ingress/ended-job.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'
import { untold } from '#test/doubles/untold.ts'

const markup = `"'><script>alert(1)</script><img src=x onerror=alert(2)>`
const link = 'javascript:alert(3)'
/** The picture of a video, under our own address. The stranger's address in it is encoded, so it cannot end ours. */
const ownPicture = /<img src="\/dashboard\/org\/[\w-]+\/thumbnails\/direct\/[\w-]+\?url=[\w%.+*-]+" alt /g

describe('text of strangers on the dashboard', () => {
  const dashboard = openedForAll(() => serveDashboard())
  const ada = madeForAll(() => dashboard.signedUp('ada@example.com', markup))
  let jobIds: string[]
  let keyId: string

  before(async () => {
    const { ingress } = dashboard
    const accept = async (kind: string, json: object): Promise<string> => {
      const url = `https://cdn.example.com/film.mp4?${markup}`
      const { status, body } = await ingress.call('POST', `/v1/${kind}`, { key: ada.key, json: { url, ...json } })
      expect(status, JSON.stringify(body)).to.equal(202)
      return body.jobId
    }
    const transcript = await accept('transcript', { mode: 'native' })
    const metadata = {
      ...untold,
      title: markup,
      author: markup,
      description: markup,
      thumbnail: `https://i.example.com/a.jpg?${markup}`,
      authorUrl: link,
      tags: [markup],
    }
    const known = { canonicalUrl: link, platform: 'direct', durationSeconds: 9, liveState: 'none' } as const
    const fetched = { ...known, metadata, captionTracks: [], formats: [] }
    await appendToJob(ingress, transcript, { type: 'VideoFetched', data: fetched })
    await endJob(ingress, transcript, { segments: [{ start: 0, end: 5, text: markup }] })
    const extract = await accept('extract', { prompt: markup })
    await endJob(ingress, extract, { extracted: { [markup]: markup, links: [link, { [link]: markup }] } })
    const failed = await accept('transcript', { mode: 'generate' })
    await endJob(ingress, failed, { code: 'video_unavailable', message: markup })
    jobIds = [transcript, extract, failed]
    const made = await ingress.call('POST', '/v1/keys', { key: ada.key, json: { name: markup } })
    keyId = made.body.id
    await dashboard.accounts.update((await dashboard.accounts.byEmail(ada.email))?.id ?? '', (account) => ({
      ...account,
      isOperator: true,
    }))
    await until('the key is shown', async () => (await ada.get(`/org/${ada.orgId}/keys/${keyId}`)).status === 200)
    await until('operators see the organization', async () => (await ada.get('/operator')).text.includes('<script>'))
    await until('the jobs are shown', async () => {
      const { text } = await ada.get(`/org/${ada.orgId}/jobs`)
      return text.split('Completed').length > 2
    })
  })

  it('is text on every page, and nothing but text in every file', async () => {
    const shown = new Set<string>()
    for (const route of dashboard.routes) {
      // A script gets events as data and sets them as text: the browser's tests show that it does.
      if (route.get === undefined || route.path.endsWith('/events')) continue
      for (const jobId of route.path.includes(':jobId') ? jobIds : ['']) {
        const ids = { orgId: ada.orgId, jobId, keyId, operation: 'transcript' }
        const path = route.path.replaceAll(/:(\w+)/g, (_, name: keyof typeof ids) => ids[name] ?? 'none')
        const { status, html, text, headers } = await ada.get(path)
        if (status === 303) continue
        expect(status, path).to.be.oneOf([200, 404])
        expect(headers.get('x-content-type-options'), path).to.equal('nosniff')
        if (!headers.get('content-type')?.startsWith('text/html')) {
          expect(headers.get('content-disposition') ?? '', path).to.match(/^attachment/)
          continue
        }
        expect(html.replaceAll(ownPicture, ''), path).to.not.match(/<script>|<img|"'>|href="javascript:/)
        if (text.includes('<script>alert(1)')) shown.add(route.path)
      }
    }
    expect([...shown], 'pages that show such text').to.include.members([
      ...['/account', '/operator', '/org/:orgId', '/org/:orgId/jobs', '/org/:orgId/jobs/:jobId'],
      ...['/org/:orgId/keys', '/org/:orgId/settings', '/org/:orgId/members'],
    ])
  })

  it('cannot be read by others who know the ids of jobs and keys', async () => {
    const eve = await dashboard.signedUp('eve@example.com', 'Eve')
    const other = '0197c0de-0000-7000-8000-000000000001'
    for (const route of dashboard.routes) {
      if (!/:(jobId|keyId)/.test(route.path)) continue
      for (const method of ['get', 'post'] as const) {
        if (route[method] === undefined) continue
        const asked = (jobId: string, key: string) =>
          eve[method](route.path.replace(':orgId', eve.orgId).replace(':jobId', jobId).replace(':keyId', key))
        const [known, unknown] = [await asked(jobIds[0] ?? '', keyId), await asked(other, other)]
        expect([known.status, known.text.replace(/Request.*/, '')], `${method} ${route.path}`).to.deep.equal([
          404,
          unknown.text.replace(/Request.*/, ''),
        ])
      }
    }
  })
})
