/** If a stranger's host fails permanently, a job asks it once, and the job is refunded. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { StrangersSetting } from '#test/doubles/service/strangers-setting.ts'

const page = Buffer.from('<!doctype html><title>no film</title>')

/** The answer of a host, by the name of the case, and the job's error code. */
const cases: Record<string, { sends: (response: ServerResponse) => void; code: string }> = {
  'a head of 400 kB': {
    sends: (response) => raw(response, `HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(400_000)}\r\n\r\n`),
    code: 'upstream_error',
  },
  'a head of ten thousand lines': {
    sends: (response) => raw(response, `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(10_000)}\r\n`),
    code: 'upstream_error',
  },
  'no HTTP': { sends: (response) => raw(response, 'SSH-2.0-OpenSSH_9.2\r\n'), code: 'upstream_error' },
  'pieces without sizes': {
    sends: (response) => raw(response, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\nabc\r\n'),
    code: 'upstream_error',
  },
  '404': { sends: (response) => void response.writeHead(404).end(), code: 'video_unavailable' },
  '400': { sends: (response) => void response.writeHead(400).end(), code: 'upstream_error' },
  'a page': { sends: (response) => void response.writeHead(200).end(page), code: 'media_unsupported' },
  'a length beyond all limits': {
    sends: (response) => void response.writeHead(200, { 'content-length': 5e9 }).flushHeaders(),
    code: 'media_too_large',
  },
  'a redirect to itself': {
    sends: (response) => void response.writeHead(302, { location: response.req.url }).end(),
    code: 'upstream_error',
  },
  '503, and to come back in an hour': {
    sends: (response) => void response.writeHead(503, { 'retry-after': '3600' }).end(),
    code: 'upstream_error',
  },
}

const raw = (response: ServerResponse, bytes: string) => void response.socket?.write(bytes)

describe('permanent failures of a host', function () {
  this.timeout(120_000)
  const names = Object.keys(cases)
  const setting = openedForAll(() =>
    StrangersSetting.start((request, response) => {
      const name = names[Number(new URL(request.url ?? '', 'http://x').pathname.slice(1))]
      cases[name ?? '']?.sends(response)
    }),
  )
  const attacker = madeForAll(() => setting.client({ plan: 'pro' }))

  for (const [index, name] of names.entries())
    for (const scheme of ['http', 'https'])
      it(`${name}, over ${scheme}: one request for a job, one for a read`, async () => {
        const host = `case-${index}.example.com`
        const asked = () => setting.hosts.requests.filter((request) => request.startsWith(host)).length
        const before = [asked(), await attacker.credits()]
        const { body } = await attacker.run({ url: `${scheme}://${host}/${index}?job-${scheme}`, mode: 'generate' })
        expect(body.error, name).to.have.property('code', cases[name]?.code)
        expect([asked(), await attacker.credits()]).to.deep.equal([(before[0] ?? 0) + 1, before[1]])
        const url = `${scheme}://${host}/${index}?read-${scheme}`
        const read = await attacker.metadata(url)
        expect(read.status).to.be.within(400, 502)
        expect(asked()).to.equal((before[0] ?? 0) + 2)
      })
})
