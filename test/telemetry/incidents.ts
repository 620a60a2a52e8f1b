import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/doubles/service/until.ts'
import type { Scene } from './scene.ts'

/** A fault, and the alerts that it must raise. */
export type Incident = {
  name: string
  alerts: readonly string[]
  /** Begins it. Disposing of the result ends it. */
  begin(scene: Scene): Promise<AsyncDisposable> | AsyncDisposable
}

/** The host that refuses, and the milliseconds between requests for its videos. */
const REFUSING = 'www.youtube.com'
const ASK_MS = 400

/** Every eighth request is a job. */
const JOB_EVERY = 8

/** A customer requests one video after another. */
async function askAfterVideos({ customers: { first } }: Scene, stop: AbortSignal): Promise<void> {
  for (let n = 0; !stop.aborted; n++) {
    const url = `https://${REFUSING}/watch?v=${`asked${n}`.padEnd(11, '_')}`
    const isJob = n % JOB_EVERY === 0
    const asked = isJob ? first.transcript({ url }) : first.get(`/v1/metadata?url=${encodeURIComponent(url)}`)
    // It is refused, as it should be. A busy machine may answer too late.
    await asked.catch(() => undefined)
    await sleep(ASK_MS)
  }
}

export const incidents: readonly Incident[] = [
  {
    name: 'a platform refuses',
    alerts: ['PlatformRefuses'],
    begin(scene) {
      const refusal = scene.outside.refuse(REFUSING)
      const stop = new AbortController()
      const asking = askAfterVideos(scene, stop.signal)
      return {
        async [Symbol.asyncDispose]() {
          stop.abort()
          refusal[Symbol.dispose]()
          await asking
        },
      }
    },
  },
  {
    name: 'MongoDB is stopped',
    alerts: ['DependencyDown', 'FeedLag'],
    async begin({ cluster }) {
      await cluster.views.stop()
      return { [Symbol.asyncDispose]: () => cluster.views.start() }
    },
  },
  {
    name: 'the orchestrator is killed',
    alerts: ['JobsNotEnding', 'ServiceSilent'],
    begin: ({ deployment }) => deployment.takeDown('orchestrator'),
  },
]

const ALERT_SECONDS = 180

/** Waits until all alerts fire, or none of them does. */
async function whenFiring(scene: Scene, names: readonly string[], wanted: boolean): Promise<void> {
  let left: string[] = []
  await until(
    wanted ? 'alerts fire' : 'alerts are over',
    async () => {
      const firing = await alertsIn(scene)
      left = names.filter((name) => firing.includes(name) !== wanted)
      return left.length === 0
    },
    { seconds: ALERT_SECONDS, everyMs: 500 },
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${left.join(', ')}`)
  })
}

/** Names of the alerts that Alertmanager would page for, or Prometheus's own if there is no Alertmanager. */
async function alertsIn({ observers: { alertmanager }, prometheus }: Scene): Promise<string[]> {
  if (alertmanager === undefined) return prometheus.firing()
  const response = await fetch(`${alertmanager}/api/v2/alerts`, { signal: AbortSignal.timeout(10_000) })
  const alerts = (await response.json()) as { labels: { alertname: string } }[]
  return [...new Set(alerts.map(({ labels }) => labels.alertname))]
}

/** Begins it, waits for its alerts, and ends it. @throws Error naming the alerts that did not fire */
export async function happen(scene: Scene, { alerts, begin }: Incident): Promise<string> {
  const from = performance.now()
  await using _fault = await begin(scene)
  await whenFiring(scene, alerts, true)
  return `${alerts.join(' and ')} fired after ${Math.round((performance.now() - from) / 1000)} s`
}

/** Waits until its alerts have ended. @throws Error naming the alerts that still fire */
export async function isOver(scene: Scene, { alerts }: Incident): Promise<string> {
  await whenFiring(scene, alerts, false)
  return ''
}
