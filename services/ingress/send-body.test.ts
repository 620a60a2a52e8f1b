import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { sendBody } from './send-body.ts'

/** What a caller gets of a body. */
async function sent(body: string | Buffer): Promise<Buffer> {
  const server = createServer((_request, response) => {
    response.setHeader('content-length', Buffer.byteLength(body))
    sendBody(response, body)
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
  it('comes whole whatever its length, as text and as bytes', async () => {
    for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072, 700_001]) {
      const text = 'äbc7'.repeat(Math.ceil(length / 4)).slice(0, length)
      expect((await sent(text)).equals(Buffer.from(text)), `text of ${length}`).to.equal(true)
      const bytes = Buffer.alloc(length, 'abcdefg')
      expect((await sent(bytes)).equals(bytes), `bytes of ${length}`).to.equal(true)
    }
  })

  it('is never cut within a character', async () => {
    for (const before of ['', 'x', 'xy']) {
      const text = before + '🎬'.repeat(100_000)
      expect((await sent(text)).toString()).to.equal(text)
    }
  })
})
