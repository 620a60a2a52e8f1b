import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect } from 'chai'
import { tcpDial } from './connect.ts'

describe('dialling', () => {
  it('applies its signal to connecting only, not to the open connection', async () => {
    const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const limit = new AbortController()
    const socket = await tcpDial('127.0.0.1', (server.address() as AddressInfo).port, limit.signal)
    limit.abort(new Error('too late to connect'))
    socket.write('still here')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).to.equal('still here')
    socket.destroy()
    server.close()
  })

  it('fails with the reason of a signal that is already aborted', async () => {
    const reason = new Error('no time left')
    const failure = await tcpDial('127.0.0.1', 9, AbortSignal.abort(reason)).catch((error: unknown) => error)
    expect(failure).to.equal(reason)
  })
})
