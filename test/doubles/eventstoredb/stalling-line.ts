import { connect, createServer, type Socket } from 'node:net'
import { onLoopback } from '#test/doubles/loopback-server.ts'

/** A TCP proxy to a server on this machine. It can stop forwarding while both ends stay connected. */
export type StallingLine = AsyncDisposable & {
  port: number
  /** Stops every open connection; later ones work. */
  stall(): void
}

export async function openStallingLine(to: number): Promise<StallingLine> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    const pair = [near.pipe(far), far.pipe(near)] as const
    pairs.add(pair)
    const end = (): void => {
      for (const socket of pair) socket.destroy()
      pairs.delete(pair)
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
  })
  return {
    ...(await onLoopback(server)),
    stall() {
      for (const [one, other] of pairs) {
        one.unpipe(other).pause()
        other.unpipe(one).pause()
      }
    },
  }
}
