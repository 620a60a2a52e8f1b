import type { Views } from '#packages/ports/views.ts'
import { dashboardUseOf, usedAt } from './key-use.ts'

/** When an organization last used a key or the dashboard, milliseconds since 1970. Null if unknown. */
export async function lastSeenAt(views: Views, orgId: string): Promise<number | null> {
  const keys = await views.find('keys', 'orgId', orgId)
  const uses = await usedAt(views, [dashboardUseOf(orgId), ...keys.map(({ id }) => id)])
  return uses.size === 0 ? null : Math.max(...Array.from(uses.values(), (at) => Date.parse(at)))
}
