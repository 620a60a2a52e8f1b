/**
 * Pictures of videos on pages. Through them, a caller can make the service fetch only the pictures that its own pages
 * show.
 */
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { Launcher } from '#packages/content/media/launcher.ts'
import { Thumbnails } from '#packages/content/thumbnails/thumbnails.ts'
import { startOutside } from '#packages/egress/egress.harness.ts'
import { createEgressRoutes } from '#packages/egress/egress-routes.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { madeForEach, openedForAll } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { makeMedia } from '#test/doubles/world/media.ts'

const LIGHT = 12
const ORIGINAL = 'http://pictures.example.com/film.jpg'
const segments = [{ start: 0, end: 2, text: 'Hello.' }]

describe('attacks by pictures of videos', function () {
  this.timeout(60_000)
  const answers: Record<string, (response: ServerResponse) => void> = {}
  const directory = directoryForAll()
  before(async () => {
    await makeMedia(directory.path, 'picture.jpg')
    const picture = await readFile(join(directory.path, 'picture.jpg'))
    answers['/film.jpg'] = (response) => void response.end(picture)
  })
  const launcher = openedForAll(() => new Launcher())
  const outside = openedForAll(() => startOutside((request, response) => answers[request.url ?? '']?.(response)))
  const resolve = async () => ['93.184.216.34']
  const { log } = keptLog()
  const routes = openedForAll(() =>
    createEgressRoutes({ proxy: undefined, platformProxies: {}, log, resolve, dial: outside.dial }),
  )
  const thumbnails = openedForAll(
    () => new Thumbnails({ routes, launcher, directory: directory.path, clock, telemetry: noTelemetry }),
  )
  const limits = { rates: { ...ingressDefaults.rates, light: LIGHT } }
  const dashboard = openedForAll(() => serveDashboard({ limits, thumbnails }))
  // A new person, whose requests are not counted yet.
  const newcomer = () => dashboard.signedUp(`${crypto.randomUUID()}@example.com`)
  const ada = madeForEach(newcomer)
  const eve = madeForEach(newcomer)
  beforeEach(() => {
    outside.asked.length = 0
  })

  /**
   * The address of a video's picture in the list of jobs, below the dashboard, if the video has this picture address.
   */
  async function shown(thumbnail = ORIGINAL): Promise<string> {
    const { ingress } = dashboard
    const asked = { key: ada.key, json: { url: 'https://cdn.example.com/film.mp4', mode: 'native' } }
    await endJob(ingress, (await ingress.call('POST', '/v1/transcript', asked)).body.jobId, {
      segments,
      seconds: 2,
      thumbnail,
    })
    const listed = async () => (await ingress.call('GET', '/v1/jobs', { key: ada.key })).body.jobs[0]
    await until('the job is listed', async () => (await listed())?.status === 'completed')
    const [, src = ''] = /<img src="\/dashboard([^"]*)"/.exec((await ada.get(`/org/${ada.orgId}/jobs`)).html) ?? []
    return src.replaceAll('&amp;', '&')
  }

  it('a page loads nothing from other hosts, and its pictures are for its visitor alone', async () => {
    const path = await shown()
    const { html } = await ada.get(`/org/${ada.orgId}/jobs`)
    expect(html).to.not.match(/(src|href)="(https?:)?\/\/pictures/)
    expect(outside.asked).to.deep.equal([])
    const { status, headers } = await ada.get(path)
    expect({ status, type: headers.get('content-type') }).to.deep.equal({ status: 200, type: 'image/jpeg' })
    expect(headers.get('cache-control')).to.equal('private, max-age=86400')
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    expect(outside.asked).to.deep.equal(['pictures.example.com/film.jpg'])
  })

  it('strangers, and members of other organizations, cannot make it fetch anything', async () => {
    const path = await shown()
    expect((await dashboard.visitor().get(path)).to).to.match(/^\/sign-in/)
    expect((await eve.get(path)).status).to.equal(404)
    expect((await eve.get(path.replace(ada.orgId, eve.orgId))).status).to.equal(404)
    expect(outside.asked).to.deep.equal([])
  })

  it('a member cannot make it fetch anything else, and cannot guess a signature', async () => {
    const path = await shown()
    const changed = [
      path.replace('film.jpg', 'film.jpg?more'),
      path.replace('pictures.', 'other.'),
      path.replace('/direct/', '/youtube/'),
      path.replace('/direct/', '/nowhere/'),
      path.replace(/url=.*/, ''),
      path.replace(/[\w-]{22}\?/, 'AAAAAAAAAAAAAAAAAAAAAA?'),
      path.replace(/[\w-]{22}\?/, '%00?'),
    ]
    for (const each of changed) expect((await ada.get(each)).status, each).to.equal(404)
    const statuses: number[] = []
    for (let n = 0; n < LIGHT; n++) statuses.push((await ada.get(changed[0] ?? '')).status)
    expect(statuses.at(-1)).to.equal(429)
    expect(outside.asked).to.deep.equal([])
  })

  it('pictures count against no limit, however many a page has', async () => {
    const path = await shown()
    for (let n = 0; n < 2 * LIGHT; n++) expect((await ada.get(path)).status).to.equal(200)
    expect(outside.asked).to.have.length(1)
  })

  it('SVG, HTML and addresses inside are not accepted as pictures', async () => {
    answers['/a.svg'] = (response) =>
      void response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg xmlns="http://www.w3.org/2000/svg"/>')
    answers['/inside'] = (response) => void response.writeHead(302, { location: 'http://127.0.0.1/a.jpg' }).end()
    for (const path of ['/a.svg', '/inside']) {
      const { status, headers } = await ada.get(await shown(`http://pictures.example.com${path}`))
      // An empty pixel of ours, because browsers mark a picture without a body as broken.
      expect({ status, type: headers.get('content-type') }, path).to.deep.equal({ status: 404, type: 'image/gif' })
      expect(headers.get('cache-control')).to.equal('no-store')
    }
    expect((await ada.get(await shown('http://169.254.169.254/latest/meta-data'))).status).to.equal(404)
    expect(outside.asked).to.deep.equal(['pictures.example.com/a.svg', 'pictures.example.com/inside'])
  })
})
