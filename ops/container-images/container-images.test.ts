import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { expect } from 'chai'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { imageOf, imagesIn, pinned } from './image.ts'
import { digestOf } from './registry.ts'

const manifest = '{"schemaVersion":2,"manifests":[]}'
const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`

/** A local stand-in for a public registry with its token service. */
async function standInRegistry(listener: RequestListener) {
  const server = await onLoopback(createServer(listener))
  const base = `http://127.0.0.1:${server.port}`
  const ask: typeof fetch = (input, init) => fetch(`${input}`.replace(/^https:\/\/[^/]+/, base), init)
  return { ...server, ask }
}

describe('images of containers', () => {
  it('have full names', () => {
    expect(imageOf('mongo:8.0.20')).to.deep.equal({
      registry: 'registry-1.docker.io',
      repository: 'library/mongo',
      tag: '8.0.20',
    })
    expect(imageOf(`apache/kafka:4.4.0@${digest}`)).to.deep.include({ repository: 'apache/kafka', tag: '4.4.0' })
    expect(imageOf('localhost:5000/a/b:1')).to.deep.equal({ registry: 'localhost:5000', repository: 'a/b', tag: '1' })
    expect(() => imageOf('mongo')).to.throw('no tag')
  })

  it('are found in our files, except those built here', () => {
    const found = ['ops/compose.yaml', 'ops/Dockerfile'].flatMap((path) => imagesIn(readFileSync(path, 'utf8')))
    const names = found.map((reference) => imageOf(reference).repository).sort()
    expect(names).to.deep.equal([
      'apache/kafka',
      'brainicism/bgutil-ytdlp-pot-provider',
      'eventstore/eventstore',
      'grafana/grafana',
      'jaegertracing/jaeger',
      'library/mongo',
      'library/node',
      'prom/alertmanager',
      'prom/prometheus',
      'searxng/searxng',
    ])
  })

  it('are pinned in place, and a new digest replaces the old one', () => {
    const text =
      'a:\n    image: mongo:8.0.20\nFROM node:24 AS machine\nFROM machine\n    image: video-intelligence:local\n'
    const once = pinned(text, new Map([['mongo:8.0.20', digest]]))
    expect(once).to.equal(text.replace('mongo:8.0.20', `mongo:8.0.20@${digest}`))
    const other = digest.replaceAll(/[a-f]/g, '0')
    const twice = pinned(
      once,
      new Map([
        ['mongo:8.0.20', other],
        ['node:24', digest],
      ]),
    )
    expect(twice).to.contain(`mongo:8.0.20@${other}\n`).and.to.contain(`FROM node:24@${digest} AS machine`)
  })

  it('have the digest of the manifest that the registry sends to a client with its token', async () => {
    const asked: [string | undefined, string | undefined][] = []
    const answer: RequestListener = (request: IncomingMessage, response) => {
      asked.push([request.url, request.headers.authorization])
      if (request.url?.startsWith('/token')) return void response.end('{"token":"t0"}')
      if (request.headers.authorization === 'Bearer t0') return void response.end(manifest)
      const challenge =
        'Bearer realm="https://auth.test/token",service="registry.test",scope="repository:library/mongo:pull"'
      response.writeHead(401, { 'www-authenticate': challenge }).end()
    }
    await using registry = await standInRegistry(answer)
    expect(await digestOf(imageOf('mongo:8.0.20'), registry.ask)).to.equal(digest)
    expect(asked.map(([url]) => url)).to.deep.equal([
      '/v2/library/mongo/manifests/8.0.20',
      '/token?service=registry.test&scope=repository%3Alibrary%2Fmongo%3Apull',
      '/v2/library/mongo/manifests/8.0.20',
    ])
  })

  it('are refused if the registry reports a wrong digest, or has no such image', async () => {
    await using lying = await standInRegistry((_, response) =>
      response.setHeader('docker-content-digest', 'sha256:0').end(manifest),
    )
    const refused = (ask: typeof fetch) => digestOf(imageOf('mongo:8.0.20'), ask).catch(String)
    expect(await refused(lying.ask)).to.match(/reports sha256:0, its manifest has/)
    await using empty = await standInRegistry((_, response) => response.writeHead(404).end())
    expect(await refused(empty.ask)).to.contain('answers 404 for library/mongo:8.0.20')
  })
})
