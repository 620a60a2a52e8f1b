import type { PageOptions } from '../../options.ts'
import type { Route } from '../../route.ts'
import { jobEventRoutes } from './job-events.ts'
import { jobFileRoutes } from './job-files.ts'
import { jobRoutes } from './job-routes.tsx'
import { jobListRoutes } from './list.tsx'
import { thumbnailRoutes } from './thumbnails.tsx'

type Parts = Parameters<typeof jobListRoutes>[0] &
  Parameters<typeof jobRoutes>[0] &
  Parameters<typeof jobEventRoutes>[0] &
  Parameters<typeof jobFileRoutes>[0] &
  Parameters<typeof thumbnailRoutes>[0]

/** Everything below `/org/{orgId}/jobs`. */
export const jobsRoutes = (parts: Parts, options: PageOptions): Route[] => [
  ...jobListRoutes(parts, options),
  ...jobRoutes(parts, options),
  ...jobEventRoutes(parts),
  ...jobFileRoutes(parts),
  ...thumbnailRoutes(parts),
]
