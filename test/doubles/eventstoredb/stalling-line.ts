import { connect, createServer, type Socket } from 'node:net'

/** A line to a server of this machine on which nothing moves any more when it is told to: both ends stay connected. */
export type StallingLine = AsyncDisposable & {
  port: number
  /** Holds up every connection there is; those that are made later work. */
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
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as { port: number }).port,
    stall() {
      for (const [one, other] of pairs) {
        one.unpipe(other).pause()
        other.unpipe(one).pause()
      }
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const pair of pairs) for (const socket of pair) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
