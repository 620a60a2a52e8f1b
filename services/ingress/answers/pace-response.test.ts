import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import express from 'express'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { paceResponse } from './pace-response.ts'

type Answered = { status: number; headers: Headers; body: Buffer; turns: number }

/** The answer as the caller receives it, and the number of turns in which it was sent. */
async function answered(listener: RequestListener, method = 'GET'): Promise<Answered> {
  let turns = 0
  const server = createServer((request, response) => {
    paceResponse(response, (work) => {
      turns++
      setImmediate(work)
    })
    listener(request, response)
  })
  await using listening = await onLoopback(server)
  const answer = await fetch(`http://127.0.0.1:${listening.port}/`, { method })
  const body = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, body, turns }
}

const sent = async (body: string | Buffer): Promise<Buffer> =>
  (await answered((_request, response) => void response.end(body))).body

/** The ways in which our code and libraries write answers. */
const ways: Record<string, (body: string) => RequestListener> = {
  'with its length': (body) => (_request, response) =>
    void response.writeHead(201, { 'Content-Length': Buffer.byteLength(body) }).end(body),
  'at once': (body) => (_request, response) => void Object.assign(response, { statusCode: 201 }).end(body),
  'in parts': (body) => (_request, response) => {
    response.writeHead(201)
    response.write(body.slice(0, 7))
    response.end(Buffer.from(body.slice(7)))
  },
  'by a writer who waits for room': (body) => async (_request, response) => {
    response.statusCode = 201
    for (let at = 0; at < body.length; at += 50_000)
      if (!response.write(body.slice(at, at + 50_000))) await new Promise((resolve) => response.once('drain', resolve))
    response.end()
  },
  'by an app of Express': (body) => express().use((_request, response) => void response.status(201).send(body)),
}

describe('an answer that leaves in turn', () => {
  for (const [way, listener] of Object.entries(ways))
    it(`arrives whole, ${way}, one piece per turn`, async () => {
      for (const length of [9, 65_535, 65_536, 65_537, 700_001]) {
        const body = 'äbc7'.repeat(Math.ceil(length / 4)).slice(0, length)
        const answer = await answered(listener(body))
        expect([answer.status, answer.body.equals(Buffer.from(body))], `${length}`).to.deep.equal([201, true])
        expect(answer.turns, `${length}`).to.be.at.least(Math.ceil(length / 65_536))
      }
    })

  it('of bytes arrives whole', async () => {
    const bytes = Buffer.alloc(700_001, 'abcdefg')
    expect((await sent(bytes)).equals(bytes)).to.equal(true)
  })

  it('of a text in another encoding has the length of its bytes', async () => {
    const { body, headers } = await answered((_request, response) => void response.end('w6R4', 'base64'))
    expect([body.toString(), headers.get('content-length')]).to.deep.equal(['äx', '3'])
  })

  it('is never cut within a character', async () => {
    for (const before of ['', 'x', 'xy']) {
      const text = before + '🎬'.repeat(100_000)
      expect((await sent(text)).toString()).to.equal(text)
    }
  })

  it('has no body if none was written, like in Node', async () => {
    for (const [method, status, length] of [
      ['GET', 200, '0'],
      ['GET', 204, null],
      ['GET', 304, null],
      ['HEAD', 200, '9'],
    ] as const) {
      const text = method === 'HEAD' ? 'nine of it' : undefined
      const answer = await answered((_request, response) => {
        response.statusCode = status
        response.end(text?.slice(1))
      }, method)
      const told = [answer.status, answer.headers.get('content-length'), answer.body.length]
      expect(told, `${method} ${status}`).to.deep.equal([status, length, 0])
    }
  })

  it('counts as begun before its turn comes', async () => {
    const seen: boolean[] = []
    await answered((_request, response) => {
      seen.push(response.headersSent)
      response.end('once')
      seen.push(response.headersSent)
      response.end('twice')
    })
    expect(seen).to.deep.equal([false, true])
  })

  it('makes a writer wait while the caller does not read', async () => {
    const written: boolean[] = []
    const full = { destroyed: false, headersSent: true, req: {}, once: () => {} } as unknown as ServerResponse
    paceResponse(full, () => {})
    for (let n = 0; n < 3; n++) written.push(full.write('x'.repeat(40_000)))
    await nextTurn()
    expect(written).to.deep.equal([true, false, false])
  })
})
