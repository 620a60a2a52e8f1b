import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { credits } from './credits.ts'
import { engines } from './engines.ts'
import { jobs } from './jobs.ts'
import { platforms } from './platforms.ts'
import { service } from './service.ts'

export const dashboards: readonly Dashboard[] = [service, jobs, platforms, credits, engines]

/** The files of ops/dashboards/json, by name. */
export const dashboardFiles = (): Record<string, string> =>
  Object.fromEntries(
    dashboards.map((dashboard) => [
      `${dashboard.uid?.replace('video-', '')}.json`,
      `${JSON.stringify(dashboard, null, 2)}\n`,
    ]),
  )
