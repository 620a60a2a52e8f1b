import type { DashboardOptions } from './options.ts'
import { homeRoutes } from './pages/home.ts'
import { jobEventRoutes } from './pages/jobs/job-events.ts'
import { jobFileRoutes } from './pages/jobs/job-files.ts'
import { jobRoutes } from './pages/jobs/job-routes.tsx'
import { jobListRoutes } from './pages/jobs/list.tsx'
import type { DashboardParts } from './parts.ts'
import type { Route } from './route.ts'

/** What every page may need to know. `root`: the dashboard's path. */
export type PageOptions = DashboardOptions & { root: string }

/** Every page, with who may use it. */
export const routesOf = (parts: DashboardParts, options: PageOptions): readonly Route[] => [
  ...homeRoutes(),
  ...jobListRoutes(parts, options),
  ...jobRoutes(parts, options),
  ...jobEventRoutes(parts),
  ...jobFileRoutes(parts),
]
