/** A process that loads a server, so that the load does not take the server's time. */
import { median, percentile } from './percentiles.ts'
import { bytesOf, RawConnection, type RawRequest } from './raw-connection.ts'
import { serveCalls } from './serve-calls.ts'

export type Load = {
  port: number
  /** The requests, sent in turn. */
  requests: readonly RawRequest[]
  connections: number
  /** The end of the load: after this many requests, or after this many milliseconds. */
  end: { count: number } | { afterMs: number }
  /** The only status that counts as an answer. */
  status: number
}

export type LoadResult = { count: number; perSecond: number; p50Ms: number; p95Ms: number; p99Ms: number }

async function load({ port, requests, connections, end, status }: Load): Promise<LoadResult> {
  const all = requests.map(bytesOf)
  const open = await Promise.all(Array.from({ length: connections }, () => RawConnection.open(port)))
  const latencies: number[] = []
  let sent = 0
  const from = performance.now()
  const wanted = () => ('count' in end ? sent < end.count : performance.now() - from < end.afterMs)
  const drive = async (connection: RawConnection): Promise<void> => {
    while (wanted()) {
      const bytes = all[sent++ % all.length] as Buffer
      const sentAt = performance.now()
      const answer = await connection.send(bytes)
      if (answer.status !== status) throw new Error(`answered ${answer.status} ${answer.body}`)
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(open.map(drive)).finally(() => {
    for (const connection of open) connection.close()
  })
  const seconds = (performance.now() - from) / 1000
  const count = latencies.length
  const [p95Ms, p99Ms] = [percentile(latencies, 0.95), percentile(latencies, 0.99)]
  return { count, perSecond: count / seconds, p50Ms: median(latencies), p95Ms, p99Ms }
}

serveCalls({ load })
