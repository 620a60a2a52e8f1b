import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { tcpDial } from './connect.ts'

describe('dialling', () => {
  it('applies its signal to connecting only, not to the open connection', async () => {
    await using server = await onLoopback(createServer((socket) => socket.pipe(socket)))
    const limit = new AbortController()
    const socket = await tcpDial('127.0.0.1', server.port, limit.signal)
    limit.abort(new Error('too late to connect'))
    socket.write('still here')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).to.equal('still here')
    socket.destroy()
  })

  it('fails with the reason of a signal that is already aborted', async () => {
    const reason = new Error('no time left')
    const failure = await tcpDial('127.0.0.1', 9, AbortSignal.abort(reason)).catch((error: unknown) => error)
    expect(failure).to.equal(reason)
  })
})
