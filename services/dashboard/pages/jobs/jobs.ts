import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import type { Route } from '../../route.ts'
import { jobEventRoutes } from './job-events.ts'
import { jobFileRoutes } from './job-files.ts'
import { jobRoutes } from './job-routes.tsx'
import { jobListRoutes } from './list.tsx'
import { thumbnailRoutes } from './thumbnails.tsx'

/** Everything below `/org/{orgId}/jobs`. */
export const jobsRoutes = (parts: DashboardParts, options: PageOptions): Route[] => [
  ...jobListRoutes(parts, options),
  ...jobRoutes(parts, options),
  ...jobEventRoutes(parts),
  ...jobFileRoutes(parts),
  ...thumbnailRoutes(parts),
]
