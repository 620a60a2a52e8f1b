import type { SecureContext } from 'node:tls'
import type { AttemptResult } from '#packages/domain/webhook/delivery.ts'
import { type Dial, publicAddressesOf, type Resolve, tcpDial } from '#packages/egress/connect.ts'
import { type Egress, type EgressResponse, egressOver } from '#packages/egress/egress.ts'
import { EgressError } from '#packages/egress/egress-error.ts'
import { createNameLookup } from '#packages/egress/name-lookup.ts'
import { createNextHops, type ProxySettings } from '#packages/egress/next-hop.ts'
import { hostOf, refusalOf } from '#packages/egress/refusal.ts'
import { directTransport, proxyTransport, socksTransport, type Transport } from '#packages/egress/transport.ts'
import { trustOf } from '#packages/egress/trust.ts'
import { printable } from '#packages/foundation/printable/printable.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { codeOf } from '#packages/telemetry/code-of.ts'
import { ReceiverSemaphore, receiverLimits } from './receiver-semaphore.ts'
import { retryAfterSecondsOf } from './retry-after.ts'
import type { SendWebhook, WebhookRequest } from './send-webhook.ts'

export type HttpSenderOptions = ProxySettings & {
  clock: Clock
  /** A PEM file of trusted certificate authorities in addition to the system's. */
  caFile?: string | undefined
  resolve?: Resolve
  dial?: Dial
  /** How long a receiver may take to answer, milliseconds. */
  answerWithinMs?: number
}

/** How long a receiver may take to answer, and how many bytes of its answer are kept. */
const ANSWER_WITHIN_MS = 15_000
const KEPT_BYTES = 200

/** The session of the exit for all webhooks, if the proxy has sessions. */
const SESSION = 'webhooks'

/**
 * Sends webhooks through the egress guard. Looks the name up once, and all its addresses must be public. The
 * connection goes to one of them. The address has its own limits, like the host, because many hosts may lead to one
 * machine. With a proxy that looks up names itself, the address is unknown here.
 * @throws Error for an invalid proxy URL
 */
export function createHttpSender(options: HttpSenderOptions): SendWebhook {
  const { clock, answerWithinMs = ANSWER_WITHIN_MS } = options
  const within = withinOf(options)
  return async (request) => {
    const { signal } = request
    try {
      return await within(request, async (egress) => {
        const startedAt = clock.now()
        const over = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)])
        const answered = await answerOf(egress, request, { over, now: startedAt }).catch((error: unknown) => {
          signal.throwIfAborted()
          return failureOf(error)
        })
        return { milliseconds: Math.max(0, Math.round(clock.now() - startedAt)), ...answered }
      })
    } catch (error) {
      // The name was not found, or it leads to an internal address.
      signal.throwIfAborted()
      return { milliseconds: 0, ...failureOf(error) }
    }
  }
}

type Work = (egress: Egress) => Promise<AttemptResult>
type Answered = Omit<AttemptResult, 'milliseconds'>

/** Runs work with the egress for one request, once its address has its turn. */
function withinOf(options: HttpSenderOptions): (request: WebhookRequest, work: Work) => Promise<AttemptResult> {
  const { clock, caFile, resolve = createNameLookup(), dial = tcpDial, answerWithinMs = ANSWER_WITHIN_MS } = options
  const how = { connectTimeoutMs: answerWithinMs, trust: caFile === undefined ? undefined : trustOf(caFile) }
  const { proxy } = createNextHops(options).of(undefined, SESSION)
  if (proxy !== undefined) {
    const transport =
      proxy.protocol === 'http:' ? proxyTransport(proxy, how) : socksTransport(proxy, { ...how, resolve })
    const egress = egressBy(transport, answerWithinMs)
    return (_request, work) => work(egress)
  }
  const turns = new ReceiverSemaphore(clock, receiverLimits)
  return async ({ url, orgId, attempt, signal }, work) => {
    const address = await addressOf(url, attempt, resolve, signal)
    using turn = await turns.acquire({ name: address, owner: orgId }, signal)
    await turn.begin()
    await using transport = pinnedTo(address, { ...how, dial })
    return await work(egressBy(transport, answerWithinMs))
  }
}

const egressBy = (transport: Transport, timeoutMs: number): Egress =>
  egressOver(
    { take: () => ({ transport, release() {} }), keeps: false, permit: async () => ({ [Symbol.dispose]() {} }) },
    { headersTimeoutMs: timeoutMs, readTimeoutMs: timeoutMs },
  )

const pinnedTo = (
  address: string,
  how: { connectTimeoutMs: number; trust: SecureContext | undefined; dial: Dial },
): Transport => directTransport({ ...how, resolve: async () => [address] })

/** Chooses one of the host's addresses, a different one on each attempt. @throws EgressError */
async function addressOf(text: string, attempt: number, resolve: Resolve, signal: AbortSignal): Promise<string> {
  const url = new URL(text)
  const refusal = refusalOf(url)
  if (refusal !== undefined) throw new EgressError('refused_address', `${url.hostname} ${refusal}`)
  const addresses = await publicAddressesOf(hostOf(url), resolve, signal)
  const address = addresses[(attempt - 1) % addresses.length]
  if (address === undefined) throw new EgressError('not_found', url.hostname)
  return address
}

async function answerOf(
  egress: Egress,
  request: WebhookRequest,
  { over, now }: { over: AbortSignal; now: number },
): Promise<Answered> {
  const { url, headers, body } = request
  const asked = { method: 'POST' as const, headers, body, signal: over, maxBytes: Number.MAX_SAFE_INTEGER }
  await using answer = await egress.request(url, { ...asked, redirect: 'manual' })
  const retryAfterSeconds = retryAfterSecondsOf(answer.headers['retry-after'], now)
  return { status: answer.status, failure: null, answer: await beginningOf(answer), retryAfterSeconds }
}

/** The status has arrived. Later errors in the body change nothing. */
async function beginningOf({ body }: EgressResponse): Promise<string> {
  let bytes = Buffer.alloc(0)
  try {
    for await (const piece of body) {
      bytes = Buffer.concat([bytes, piece.subarray(0, KEPT_BYTES - bytes.length)])
      if (bytes.length === KEPT_BYTES) break
    }
  } catch {
    // The part of the body that was read suffices.
  }
  return printable(new TextDecoder().decode(bytes)).slice(0, KEPT_BYTES)
}

const failureOf = (error: unknown): Answered => ({
  status: null,
  failure: reasonOf(error).slice(0, 40),
  answer: '',
  retryAfterSeconds: null,
})

function reasonOf(error: unknown): string {
  if (error instanceof EgressError) return error.reason
  return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : codeOf(error)
}
