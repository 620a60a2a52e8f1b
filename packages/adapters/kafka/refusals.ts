import { connect as connectPlainly, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { RefusedError } from '#packages/ports/unreachable.ts'
import {
  firstWithTls,
  handshake,
  mostPlaces,
  type Place,
  placesOf,
  type TlsTrouble,
  tlsTroubleOf,
} from '../tls-troubles.ts'
import type { KafkaCluster } from './cluster.ts'

const defaultPort = 9092
/** How long a probe of one host may take, milliseconds. */
const probeWithinMs = 2000

const refused = (advice: string, cause: unknown): RefusedError => new RefusedError('Kafka', advice, cause)

const rights =
  'grant its user Create, Describe, Read and Write on topics, and Read and Delete on groups, whose names begin with KAFKA_PREFIX'
const login = 'it does not know KAFKA_USERNAME and KAFKA_PASSWORD, or not by KAFKA_SASL_MECHANISM'

/** Advice by the type of a protocol error. */
const adviceByType = new Map([
  ['SASL_AUTHENTICATION_FAILED', login],
  ['UNSUPPORTED_SASL_MECHANISM', 'it does not take KAFKA_SASL_MECHANISM; choose one that the brokers have'],
  ['TOPIC_AUTHORIZATION_FAILED', rights],
  ['GROUP_AUTHORIZATION_FAILED', rights],
  ['CLUSTER_AUTHORIZATION_FAILED', rights],
])

const tlsAdvice: Readonly<Record<TlsTrouble, string>> = {
  'other name': 'its certificate is for another name; KAFKA_BROKERS has to use the names that the certificates are for',
  expired: 'its certificate has expired; give the brokers new ones',
  'not trusted':
    'its certificate is not trusted; let NODE_EXTRA_CA_CERTS name the file of the authority that signed it',
  'no TLS': 'it speaks no TLS; take KAFKA_SSL away, or let the brokers speak TLS',
}

type KafkaError = { name?: string; type?: string; cause?: unknown; originalError?: unknown; errors?: unknown[] }

/** How deep to search the causes of an error: kafkajs wraps errors in several ways. */
const mostErrors = 10

function errorsIn(error: unknown): KafkaError[] {
  const found: KafkaError[] = []
  const waiting: unknown[] = [error]
  for (let each = waiting.shift(); each !== undefined && found.length < mostErrors; each = waiting.shift()) {
    const inner = each as KafkaError
    found.push(inner)
    waiting.push(...[inner.cause, inner.originalError, ...(inner.errors ?? [])].filter((one) => one instanceof Error))
  }
  return found
}

/** The port's error for a refusal in kafkajs's error; undefined for any other error. */
export function refusalOf(error: unknown): RefusedError | undefined {
  for (const each of errorsIn(error)) {
    if (each instanceof RefusedError) return each
    const advice =
      adviceByType.get(each.type ?? '') ?? (each.name === 'KafkaJSSASLAuthenticationError' ? login : undefined)
    if (advice !== undefined) return refused(advice, each)
    const trouble = tlsTroubleOf(each)
    if (trouble !== undefined) return refused(tlsAdvice[trouble], each)
  }
  return undefined
}

/** Why reachable brokers end or ignore connections, found by trying each alone. Undefined if they are away. */
export async function probe({ brokers, tls = false, login }: KafkaCluster): Promise<RefusedError | undefined> {
  const places = placesOf(brokers.join(), defaultPort)
  const alone = ({ host, port }: Place, cause?: unknown) => new Error(`${host}:${port}, tried by itself`, { cause })
  if (!tls) {
    const found = await firstWithTls(places, probeWithinMs)
    if (found) return refused('it speaks TLS; set KAFKA_SSL to true', alone(found))
  }
  for (const place of places.slice(0, mostPlaces)) {
    const result = tls ? await handshake(place, undefined, probeWithinMs) : 'done'
    const trouble = result === 'done' ? undefined : tlsTroubleOf(result.error)
    if (result !== 'done' && trouble) return refused(tlsAdvice[trouble], alone(place, result.error))
    if (result === 'done' && login === undefined && (await wantsLogin(place, tls)))
      return refused(
        'it wants to know who connects; set KAFKA_USERNAME, KAFKA_PASSWORD and KAFKA_SASL_MECHANISM',
        alone(place),
      )
  }
  return undefined
}

const saslHandshakeKey = 17
const noSaslHere = 34

/** A SaslHandshake request of version 0, which a broker answers before a login. */
function saslHandshake(): Buffer {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)])
  const head = Buffer.alloc(8)
  head.writeInt16BE(saslHandshakeKey, 0)
  const body = Buffer.concat([head, text('probe'), text('PLAIN')])
  const size = Buffer.alloc(4)
  size.writeInt32BE(body.length)
  return Buffer.concat([size, body])
}

/** Whether a broker requires a login at this port. */
function wantsLogin({ host, port }: Place, tls: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket = tls ? connectSecurely({ host, port, servername: host }) : connectPlainly({ host, port })
    const end = (wants: boolean): void => {
      socket.destroy()
      resolve(wants)
    }
    let answer = Buffer.alloc(0)
    socket.setTimeout(probeWithinMs, () => end(false))
    socket.once('error', () => end(false)).once('close', () => end(false))
    socket.once(tls ? 'secureConnect' : 'connect', () => socket.write(saslHandshake()))
    socket.on('data', (bytes: Buffer) => {
      answer = Buffer.concat([answer, bytes])
      // The answer: size, correlation id, error code.
      if (answer.length >= 10) end(answer.readInt16BE(8) !== noSaslHere)
    })
  })
}
