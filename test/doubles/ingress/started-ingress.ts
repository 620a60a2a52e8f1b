import { pino } from 'pino'
import { Ledgers, ledgerDefaults } from '#packages/accounts/ledger/ledgers.ts'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { projections } from '#packages/events/views/projections.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import type { Warning } from '#packages/foundation/readiness/readiness.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { RateCounters } from '#packages/ports/rate-counters.ts'
import type { Views } from '#packages/ports/views.ts'
import { noTelemetry, type Telemetry } from '#packages/telemetry/telemetry.ts'
import { createIngress, type IngressResources } from '#services/ingress/ingress.ts'
import { type IngressOptions, ingressDefaults, type ServerOptions } from '#services/ingress/options.ts'
import type { Pages } from '#services/ingress/routes/pages.ts'
import type { Shared } from '#services/ingress/shared.ts'
import { Projector } from '#services/projections/projector.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { ScriptedStore } from '../scripted-store.ts'
import { testSealer } from '../test-sealer.ts'
import { memorySecrets } from '../webhooks/memory-secrets.ts'
import { assertInContract } from './contract.ts'
import { sourcesOf } from './sources.ts'

// Untyped: the body has been checked against the contract, and each test knows which one it expects.
// biome-ignore lint/suspicious/noExplicitAny: the test says what it expects
export type Answer = { status: number; headers: Headers; text: string; body: any }

export type CallOptions = {
  key?: string | null
  headers?: Record<string, string>
  json?: unknown
  raw?: string | Uint8Array<ArrayBuffer>
}

export type Setting = {
  clock: Clock
  options?: Partial<IngressOptions>
  server?: Partial<ServerOptions>
  platforms?: IngressResources['platforms']
  /** False: no projection writes the views. */
  projected?: boolean
  /** Whether it reads the settlements of others in its feed. */
  followsLedgers?: boolean
  /** Replaces the views in memory for requests. */
  viewsOf?: (views: Views) => Views
  counters?: RateCounters
  /** Several ingresses may share one store. */
  store?: MemoryEventStore
  telemetry?: Telemetry
  /** Other surfaces to mount, by path. They may ask for the address of the ingress. */
  mounted?: (base: () => string) => NonNullable<IngressResources['mounted']>
  pages?: (shared: Shared, ports: Omit<IngressResources, 'pages'>) => Pages
}

/** An ingress on loopback with everything in memory. Its answers are checked against the OpenAPI document. */
export async function startIngress(setting: Setting) {
  const { clock, telemetry = noTelemetry } = setting
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const memory = setting.store ?? new MemoryEventStore({ clock })
  const store = new ScriptedStore(memory)
  const documents = new MemoryDocuments()
  const views = new MemoryViews({ clock, definition, documents })
  const giveUpAfterMs = setting.options?.giveUpAfterMs ?? ledgerDefaults.giveUpAfterMs
  const ledgers = new Ledgers({ store, clock, ids }, { ...ledgerDefaults, giveUpAfterMs })
  const platforms = setting.platforms ?? sourcesOf()
  const server = { ...ingressDefaults.server, ...setting.server }
  let base = ''
  const mounted = setting.mounted?.(() => base) ?? {}
  const attempts = new AttemptsUnderWay()
  const ports = {
    store,
    views: setting.viewsOf?.(views) ?? views,
    ledgers,
    clock,
    ids,
    platforms,
    sealer: testSealer,
    log,
    telemetry,
    attempts,
  }
  /** The problems that `/ready` reports. */
  const problems: string[] = []
  const dependencies = [{ name: 'a test', look: async () => problems[0] }]
  /** The troubles outside that `/ready` reports. */
  const warnings: Warning[] = []
  const { pages, followsLedgers = false } = setting
  const shared = {
    counters: setting.counters ?? counters,
    localCounters: counters,
    secrets: memorySecrets(clock),
    dependencies,
    outside: [{ warnings }],
    mounted,
  }
  const resources = { ...ports, ...shared, followsLedgers }
  const mountedPages = pages && { pages: (parts: Shared) => pages(parts, resources) }
  const ingress = createIngress({ ...resources, ...mountedPages }, { ...setting.options, server })
  const end = new AbortController()
  const projector = new Projector({ store: memory, views, clock, log, telemetry }, projections)
  if (setting.projected === false) {
    await views.begin()
    await views.makeReadable()
  }
  const projecting = setting.projected === false ? undefined : projector.run(end.signal)
  const { port, close } = await ingress.listen('127.0.0.1', 0)
  base = `http://127.0.0.1:${port}`

  // A process beside the ingress, like `npm run org`.
  const organizations = new Organizations({
    store: memory,
    clock,
    ids,
    ledgers: new Ledgers({ store: memory, clock, ids }),
  })

  const call = async (method: string, path: string, given: CallOptions = {}): Promise<Answer> => {
    const headers = {
      ...(given.key == null ? {} : { 'x-api-key': given.key }),
      ...(given.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...given.headers,
    }
    const body = given.json === undefined ? given.raw : JSON.stringify(given.json)
    const response = await fetch(base + path, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    const answer = { status: response.status, headers: response.headers, text, body: bodyOf(response, text) }
    assertInContract(method, path, answer)
    return answer
  }

  return {
    port,
    shared: byName(ingress.shared),
    base,
    memory,
    store,
    views,
    /** The documents of the views; a test may lose them. */
    documents,
    ledgers,
    attempts,
    organizations,
    lines,
    problems,
    warnings,
    call,
    async org(plan: Plan = 'free') {
      const { orgId, keyId, key } = await organizations.create('Acme', plan)
      const get = (path: string, more: CallOptions = {}) => call('GET', path, { key, ...more })
      const post = (path: string, json: unknown, more: CallOptions = {}) => call('POST', path, { key, json, ...more })
      const remove = (path: string, more: CallOptions = {}) => call('DELETE', path, { key, ...more })
      /** Creates another key, with only these scopes. */
      const keyWith = async (...scopes: string[]): Promise<string> =>
        (await post('/v1/keys', { name: scopes.join(), scopes })).body.key
      const credits = async (): Promise<number> => (await get('/v1/me')).body.creditsRemaining
      const ledger = (): Promise<StoredEvent[]> => memory.read(streams.credits(orgId))
      return { orgId, keyId, key, keyWith, get, post, remove, credits, ledger }
    },
    close,
    async [Symbol.asyncDispose]() {
      await close()
      end.abort()
      await projecting
    },
  }
}

/** The shared parts without their groups. */
export const byName = ({ accounts, jobs, readers, limits, ...others }: Shared) => ({
  ...accounts,
  ...jobs,
  ...readers,
  ...limits,
  ...others,
})

export type StartedIngress = Awaited<ReturnType<typeof startIngress>>

const bodyOf = (response: Response, text: string): unknown =>
  text !== '' && response.headers.get('content-type')?.includes('application/json') === true
    ? JSON.parse(text)
    : undefined
