import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { Launcher } from '#packages/content/media/launcher.ts'
import { type Outside, startOutside } from '#packages/egress/egress.harness.ts'
import { createEgressRoutes, type EgressRoutes } from '#packages/egress/egress-routes.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { makeMedia } from '#test/doubles/world/media.ts'
import { type Pictured, Thumbnails } from './thumbnails.ts'

const PUBLIC = '93.184.216.34'
const names: Record<string, string> = { 'pictures.example.com': PUBLIC, 'inside.example.com': '10.0.0.7' }

describe('thumbnails', function () {
  this.timeout(60_000)
  const launcher = new Launcher()
  const clock = new ManualClock()
  const open = new AsyncDisposableStack()
  let picture: Buffer
  let outside: Outside
  let routes: EgressRoutes
  let directory: string
  let thumbnails: Thumbnails
  /** The host's answer at each path. */
  let answers: Record<string, (response: ServerResponse) => void>
  before(async () => {
    open.use(launcher)
    directory = open.use(await temporaryDirectory()).path
    await makeMedia(directory, 'picture.jpg')
    picture = await readFile(join(directory, 'picture.jpg'))
    outside = open.use(await startOutside((request, response) => answers[request.url ?? '']?.(response)))
    const resolve = async (host: string) => [names[host] ?? PUBLIC]
    const log = keptLog().log
    routes = open.use(
      await createEgressRoutes({ proxy: undefined, platformProxies: {}, log, resolve, dial: outside.dial }),
    )
  })
  after(() => open.disposeAsync())
  beforeEach(() => {
    outside.asked.length = 0
    outside.dialled.length = 0
    answers = { '/a.jpg': (response) => void response.end(picture) }
    thumbnails = new Thumbnails({ routes, launcher, directory, clock, telemetry: noTelemetry })
  })
  afterEach(() => thumbnails[Symbol.dispose]())

  const of = (url: string, more: Partial<Pictured> = {}) =>
    thumbnails.of({ orgId: 'acme', platform: 'youtube', url, ...more })
  const at = (path: string) => `http://pictures.example.com${path}`

  it('are made once for all callers, for a quarter of an hour, and again for another organization', async () => {
    const [one, other] = await Promise.all([of(at('/a.jpg')), of(at('/a.jpg'))])
    expect(one?.subarray(0, 3).toString('hex')).to.equal('ffd8ff')
    expect(other).to.equal(one)
    await clock.advance(14 * 60_000)
    expect(await of(at('/a.jpg'))).to.equal(one)
    expect(outside.asked).to.have.length(1)
    expect(await of(at('/a.jpg'), { orgId: 'other' })).to.deep.equal(one)
    await clock.advance(60_000)
    expect(await of(at('/a.jpg'))).to.deep.equal(one)
    expect(outside.asked).to.have.length(3)
  })

  it('are not made of what is no picture, too large, missing or cut off, which is requested once', async () => {
    answers = {
      '/svg': (response) => void response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>'),
      '/large': (response) => void response.end(Buffer.concat([picture, Buffer.alloc(2 * 1024 * 1024)])),
      '/stated': (response) => void response.writeHead(200, { 'content-length': 5e9 }).flushHeaders(),
      '/gone': (response) => void response.writeHead(404).end(picture),
      '/cut': (response) => {
        response.writeHead(200, { 'content-length': picture.length }).write(picture.subarray(0, 100), () => {
          response.socket?.destroy()
        })
      },
    }
    for (const path of Object.keys(answers))
      for (const _ of [1, 2]) expect(await of(at(path)), path).to.equal(undefined)
    expect(outside.asked).to.have.length(5)
  })

  it('are never fetched from internal hosts, by no name, address, redirect or scheme', async () => {
    answers['/in'] = (response) => void response.writeHead(302, { location: 'http://inside.example.com/a.jpg' }).end()
    answers['/meta'] = (response) => void response.writeHead(302, { location: 'http://169.254.169.254/a.jpg' }).end()
    for (const path of ['/in', '/meta']) expect(await of(at(path)), path).to.equal(undefined)
    for (const url of [
      'http://inside.example.com/a.jpg',
      'http://127.0.0.1/a.jpg',
      'http://[::1]/a.jpg',
      'http://localhost/a.jpg',
      'http://pictures.example.com:8080/a.jpg',
      'file:///etc/passwd',
      'data:image/png;base64,AAAA',
      '//pictures.example.com/a.jpg',
      '',
    ])
      expect(await of(url), url).to.equal(undefined)
    expect(outside.asked).to.deep.equal(['pictures.example.com/in', 'pictures.example.com/meta'])
    expect(new Set(outside.dialled)).to.deep.equal(new Set([PUBLIC]))
  })

  it('are made three at a time, two for one organization, and all are given up at the end', async () => {
    const waiting: ServerResponse[] = []
    for (let n = 0; n < 9; n++) answers[`/${n}`] = (response) => void waiting.push(response)
    const mine = Array.from({ length: 6 }, (_, n) => of(at(`/${n}`)))
    const theirs = [6, 7, 8].map((n) => of(at(`/${n}`), { orgId: 'other' }))
    const ended = Promise.allSettled([...mine, ...theirs])
    await until('three are fetched', async () => outside.asked.length === 3)
    expect(outside.asked.filter((url) => /[0-5]$/.test(url))).to.have.length(2)
    for (const response of waiting.splice(0)) response.end(picture)
    await until('three more are fetched', async () => outside.asked.length === 6)
    thumbnails[Symbol.dispose]()
    const results = await ended
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(3)
  })
})
