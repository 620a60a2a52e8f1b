import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { BodySender } from './body-sender.ts'

/** The body as a caller receives it. */
async function sent(body: string | Buffer): Promise<Buffer> {
  const server = createServer((_request, response) => {
    response.setHeader('content-length', Buffer.byteLength(body))
    new BodySender().send(response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return Buffer.from(await answer.arrayBuffer())
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe('the body of an answer', () => {
  it('arrives whole at any length, as text and as bytes', async () => {
    for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072, 700_001]) {
      const text = 'äbc7'.repeat(Math.ceil(length / 4)).slice(0, length)
      expect((await sent(text)).equals(Buffer.from(text)), `text of ${length}`).to.equal(true)
      const bytes = Buffer.alloc(length, 'abcdefg')
      expect((await sent(bytes)).equals(bytes), `bytes of ${length}`).to.equal(true)
    }
  })

  it('is written with the other short ones of its turn of the event loop, in order, when that ends', async () => {
    const bodies = new BodySender()
    const ended: string[] = []
    const response = { end: (body: string) => void ended.push(body) } as unknown as ServerResponse
    for (const body of ['one', 'two', 'three']) {
      bodies.send(response, body)
      await Promise.resolve()
    }
    expect(ended).to.deep.equal([])
    await setImmediate()
    expect(ended).to.deep.equal(['one', 'two', 'three'])
  })

  it('leaves room for others in each turn of the event loop, however many answers are long', async () => {
    const PIECES = 4
    const ANSWERS = 10
    let sent = 0
    // Like a response: a write is handed to the system in the next tick, and that takes time.
    const handOver = (): void => {
      sent++
      process.nextTick(() => {
        const until = performance.now() + 2
        while (performance.now() < until);
      })
    }
    const write = (): boolean => {
      handOver()
      return true
    }
    const response = { destroyed: false, write, end: handOver } as unknown as ServerResponse
    const bodies = new BodySender()
    for (let n = 0; n < ANSWERS; n++) bodies.send(response, Buffer.alloc(PIECES * 65_536))
    let most = 0
    while (sent < ANSWERS * PIECES) {
      const before = sent
      await setImmediate()
      most = Math.max(most, sent - before)
    }
    expect(most).to.be.within(1, 4)
    expect(sent).to.equal(ANSWERS * PIECES)
  })

  it('is never cut within a character', async () => {
    for (const before of ['', 'x', 'xy']) {
      const text = before + '🎬'.repeat(100_000)
      expect((await sent(text)).toString()).to.equal(text)
    }
  })
})
