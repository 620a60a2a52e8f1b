import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Admin, type ISocketFactory, Kafka, logLevel, type RetryOptions, type SASLOptions } from 'kafkajs'
import { atMost } from './at-most.ts'
import type { KafkaCluster } from './cluster.ts'
import { type KafkaLog, logFor } from './log.ts'
import { quietRequestQueue } from './quiet-request-queue.ts'
import { KafkaTroubles } from './troubles.ts'

/** A broker that does not answer within this time counts as dead, milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000

/** The silence after which TCP keep-alive probes a connection, milliseconds. */
const KEEP_ALIVE_MS = 60_000

/** How long closing a client waits for its unfinished work, milliseconds. */
const CLOSE_TIMEOUT_MS = 2000

/**
 * All connections to one cluster. kafkajs cannot be made to stop retrying: while the brokers are away, it retries for
 * ever and keeps the process alive. `end` stops all retries.
 */
export class KafkaLink {
  /** For calls that a caller waits for: gives up after some seconds without brokers. */
  readonly kafka: Kafka
  /** For members of groups: never gives up, and rejoins some seconds after an outage. */
  readonly patient: Kafka
  /** The troubles of the cluster. */
  readonly troubles: KafkaTroubles
  readonly #cluster: KafkaCluster
  readonly #log: KafkaLog
  readonly #sockets = new Set<Socket>()
  readonly #ended = new AbortController()

  constructor(cluster: KafkaCluster, log: KafkaLog) {
    const { brokers, tls = false, login } = cluster
    this.#cluster = cluster
    this.#log = log
    this.troubles = new KafkaTroubles(cluster, log)
    quietRequestQueue()
    const kafka = (retries: number): Kafka =>
      new Kafka({
        brokers: [...brokers],
        ssl: tls,
        ...(login && { sasl: login as SASLOptions }),
        clientId: 'video-intelligence-service',
        logLevel: logLevel.INFO,
        logCreator: logFor(log, this.ended),
        connectionTimeout: 3000,
        requestTimeout: REQUEST_TIMEOUT_MS,
        retry: this.#retry(retries),
        socketFactory: this.#connect,
      })
    // Two instances, because a client's retry options do not apply to its connections: those use the options of its
    // Kafka.
    this.kafka = kafka(8)
    this.patient = kafka(1_000_000)
  }

  /** Aborted once the link has ended. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /** Another link to the same cluster, for a client that may have to end first. It ends with this one. */
  another(): KafkaLink {
    const link = new KafkaLink(this.#cluster, this.#log)
    const end = (): void => link.end()
    this.ended.addEventListener('abort', end)
    link.ended.addEventListener('abort', () => this.ended.removeEventListener('abort', end))
    if (this.ended.aborted) link.end()
    return link
  }

  /** Retries this many times at short intervals, and never after the link has ended. */
  #retry(retries: number): RetryOptions {
    // kafkajs reads this value before each retry.
    const left = { valueOf: () => (this.ended.aborted ? 0 : retries) }
    return {
      initialRetryTime: 100,
      maxRetryTime: 1000,
      retries: left as unknown as number,
      restartOnFailure: async () => !this.ended.aborted,
    }
  }

  /** Opens an admin client for `use`, then closes it. */
  async withAdmin<T>(use: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin()
    try {
      await admin.connect()
      return await use(admin)
    } finally {
      await this.close(admin)
    }
  }

  /** Disconnects a client, and waits two seconds at most. `end` cuts off a client that hangs. */
  async close(client: { disconnect(): Promise<void> }): Promise<void> {
    // Errors do not matter, because the client is not used again.
    await atMost(
      CLOSE_TIMEOUT_MS,
      client.disconnect().catch(() => {}),
      this.ended,
    )
  }

  /** Ends every connection and every retry. */
  end(): void {
    this.#ended.abort(new Error('the work queue is closed'))
    for (const socket of this.#sockets) socket.destroy(this.ended.reason)
  }

  /** Opens a connection as kafkajs itself does, and remembers it. */
  readonly #connect: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    this.ended.throwIfAborted()
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const socket = ssl
      ? connectTls({ host, port, ...servername, ...ssl }, onConnect)
      : connect({ host, port }, onConnect)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }
}
