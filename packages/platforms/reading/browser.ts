import type { EgressRoutes } from '#packages/egress/egress-routes.ts'
import type { SocialPlatform } from '../registry.ts'
import type { Reader } from '../ytdlp/reader.ts'
import type { Browse } from './ask-platform.ts'
import { routeOf } from './route-of.ts'

/** Requests a platform's pages and interfaces through the egress route of the reading. */
export const browserOf =
  ({ reader, routes }: { reader: Reader; routes: EgressRoutes }, platform: SocialPlatform): Browse =>
  (question, reading) => {
    const { organization, onWait, signal } = reading
    return reader.page({
      ...question,
      platform,
      route: routeOf(routes, platform, reading),
      organization,
      onWait,
      signal,
    })
  }
