import type { WatchedMailer } from '#packages/accounts/people/watched-mailer.ts'
import { memoryRateCounters } from '#packages/adapters/memory/rate-counters.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import type { ChosenEngine } from '#packages/content/speech/choose-engine.ts'
import type { SpeechTraits } from '#packages/content/speech/traits.ts'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { signUpRuleOf } from '#packages/foundation/config/dashboard-rules.ts'
import { ownPagesOf } from '#packages/foundation/config/own-pages.ts'
import { type Dependency, Readiness, type Warned } from '#packages/foundation/readiness/readiness.ts'
import { serveStatus } from '#packages/foundation/readiness/status-server.ts'
import type { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { WebhookSecrets } from '#packages/jobs/webhooks/webhook-secrets.ts'
import { ingressDefaults, writtenVideo, writtenWords } from '#services/ingress/options.ts'
import type { ComponentPorts } from './components.ts'
import { mountDashboard } from './dashboard.ts'
import type { Engines } from './engines.ts'
import type { Extract } from './extract.ts'
import { listeningAt } from './listening-at.ts'
import { mountMcp } from './mcp.ts'
import type { Outside } from './outside.ts'
import { sandboxExamples, sandboxWords } from './sandbox.ts'
import type { Speech } from './speech.ts'
import type { reachWebhooks } from './webhooks.ts'

/** The resources that the process has opened. Undefined if no part of this process needs them. */
export type Opened = {
  ports: ComponentPorts
  engines: Engines
  outside: Outside | undefined
  chosen: ChosenEngine | undefined
  speech: Speech | undefined
  extract: Extract | undefined
  sealer: Sealer | undefined
  mailer: WatchedMailer | undefined
  webhooks: ReturnType<typeof reachWebhooks> | undefined
}

type Health = {
  dependencies: readonly Dependency[]
  /** The outside parts that may be in trouble. */
  ill: readonly Warned[]
  /** Of the followers, by name. */
  lags: Map<string, FeedLag>
}

/** The HTTP surface: the ingress, or the status page in a process without it. */
export async function listen(
  { config, isSandbox = false, parts }: { config: Config; isSandbox?: boolean; parts: readonly string[] },
  { engines, outside, chosen, speech, sealer, mailer, ...opened }: Opened,
  { dependencies, ill, lags }: Health,
): Promise<{ port: number; firstOwner?: string | undefined } & AsyncDisposable> {
  const { platforms, thumbnails } = outside ?? {}
  const { accounts } = engines
  const ports = { ...opened.ports, views: engines.promptViews }
  if (!parts.includes('ingress') || !platforms || !thumbnails || !chosen || !sealer || !accounts)
    return listeningAt(
      'HOST and SERVICE_PORT',
      serveStatus(new Readiness(ports, dependencies, ill), { host: config.host, port: config.servicePort }),
    )
  const { counters } = engines
  const { createIngress } = await import('#services/ingress/ingress.ts')
  const mcp = mountMcp(config, ports.telemetry)
  const options = { ...ingressOptionsOf(config, speechTraitsOf(chosen, speech)), ...examplesOf(config, isSandbox) }
  const secrets = new WebhookSecrets({ sealed: accounts, sealer, clock })
  const dashboard =
    config.dashboard === 'on'
      ? mountDashboard(
          config,
          { ...ports, counters, accounts, sealer, thumbnails, platforms, ...(mailer && { mailer }) },
          options,
        )
      : undefined
  const rates = { counters, localCounters: memoryRateCounters }
  const resources = {
    ...ports,
    ...rates,
    sealer,
    secrets,
    platforms,
    pace: parts.includes('fetch') ? platforms : undefined,
    dependencies,
    outside: ill,
    followsLedgers: !parts.includes('orchestrator'),
    mounted: { '/mcp': mcp.mounted },
    ...(dashboard && { pages: dashboard.pages }),
  }
  const ingress = createIngress(resources, options)
  lags.set('keys', ingress.lag)
  const { port, close } = await listeningAt('HOST and PORT', ingress.listen(config.host, config.port))
  mcp.servedAt(port)
  dashboard?.servedAt(port)
  const end = new AbortController()
  const running = dashboard?.accounts.run(end.signal)
  async function closeAll(): Promise<void> {
    await Promise.all([close(), mcp[Symbol.asyncDispose]()])
    // Waits for mails, because the last requests may have sent some.
    end.abort()
    await running
  }
  const firstOwner = signUpRuleOf(config) === 'open' ? undefined : await dashboard?.accounts.signUps.inviteFirstOwner()
  return { port, firstOwner, [Symbol.asyncDispose]: closeAll }
}

function ingressOptionsOf(config: Config, speech: SpeechTraits) {
  const { lightRequestsPerMinute: light, pollsPerMinute: polls, heavyRequestsFactor: factor } = config
  const { free, starter, pro } = ingressDefaults.rates.heavy
  const heavy = { free: free * factor, starter: starter * factor, pro: pro * factor }
  const { publicUrl, clientAddressHeader, corsOrigins = [], jobWindowSeconds: windowSeconds } = config
  const extracts = config.llmBaseUrl !== undefined
  const server = { ...ingressDefaults.server, maxConnectionsPerAddress: config.maxConnectionsPerAddress }
  const rates = { light, polls, heavy }
  const { retentionDays } = config
  return {
    publicUrl,
    ownPages: ownPagesOf(config),
    clientAddressHeader: clientAddressHeader?.toLowerCase(),
    corsOrigins,
    webhooksAllowHttp: config.webhooksAllowHttp === '1',
    batchMaxItems: config.batchMaxItems,
    server,
    windowSeconds,
    rates,
    extracts,
    speech,
    ...capsOf(config),
    retentionDays,
  }
}

const examplesOf = ({ exampleUrl }: Config, isSandbox: boolean) => ({
  isSandbox,
  examples: {
    [writtenVideo]: exampleUrl,
    [writtenWords]: wordsOf(exampleUrl, isSandbox),
    ...(isSandbox && sandboxExamples),
  },
})

/** The beginning of the example's transcript. Unknown for an operator's own video (EXAMPLE_URL). */
function wordsOf(exampleUrl: string, isSandbox: boolean): string {
  if (isSandbox) return sandboxWords
  return exampleUrl === writtenVideo ? writtenWords : 'The first words of the video.'
}

/** The daily limits of the most expensive work. */
export function capsOf({ speechMinutesPerDay, llmTokensPerDay, capSharePerOrganization }: Config) {
  return { speechMinutesPerDay, llmTokensPerDay, capSharePerOrganization }
}

/** The description with the measured speed, if the engine works in this process. */
function speechTraitsOf({ traits }: ChosenEngine, speech: Speech | undefined): SpeechTraits {
  if (speech === undefined) return traits
  return {
    ...traits,
    get secondsPerAudioSecond() {
      return speech.engine.secondsPerAudioSecond
    },
  }
}
