import type { DashboardOptions } from './options.ts'
import { homeRoutes } from './pages/home.ts'
import type { DashboardParts } from './parts.ts'
import type { Route } from './route.ts'

/** What every page may need to know. `root`: the dashboard's path. */
export type PageOptions = DashboardOptions & { root: string }

/** Every page, with who may use it. */
export const routesOf = (_parts: DashboardParts, _options: PageOptions): readonly Route[] => [...homeRoutes()]
