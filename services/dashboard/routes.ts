import type { DashboardOptions } from './options.ts'
import { homeRoutes } from './pages/home.ts'
import { jobsRoutes } from './pages/jobs/jobs.ts'
import { keysRoutes } from './pages/keys/keys.tsx'
import { revokeKeyRoutes } from './pages/keys/revoke-key.tsx'
import { operatorRoutes } from './pages/operator/operator-routes.tsx'
import { overviewRoutes } from './pages/overview/overview.tsx'
import { tryRoutes } from './pages/try/try-routes.tsx'
import { usageRoutes } from './pages/usage/usage.tsx'
import type { DashboardParts } from './parts.ts'
import type { Route } from './route.ts'

/** What every page may need to know. `root`: the dashboard's path. */
export type PageOptions = DashboardOptions & { root: string }

/** Every page, with who may use it. */
export const routesOf = (parts: DashboardParts, options: PageOptions): readonly Route[] => [
  ...homeRoutes(),
  ...overviewRoutes(parts, options),
  ...keysRoutes(parts, options),
  ...revokeKeyRoutes(parts, options),
  ...usageRoutes(parts, options),
  ...tryRoutes(parts, options),
  ...operatorRoutes(parts, options),
  ...jobsRoutes(parts, options),
]
