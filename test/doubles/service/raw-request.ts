import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Sends bytes unchanged and reads until the service closes: for requests that no HTTP client would make. */
export async function rawRequest(base: string, bytes: string): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.setTimeout(20_000, () => socket.destroy(new Error('no answer within 20 s')))
  socket.write(bytes)
  const answer = await text(socket)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body }
}
