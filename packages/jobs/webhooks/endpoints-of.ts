import type { WebhookDocument } from '#packages/events/views/webhooks.ts'
import type { Stored, Views } from '#packages/ports/views.ts'

/** More than any plan allows. */
const MOST = 100

/** The endpoints of an organization. There are only a few, while its jobs may have named any number of URLs. */
export const endpointsOf = (views: Pick<Views, 'page'>, orgId: string): Promise<Stored<WebhookDocument>[]> =>
  views.page<WebhookDocument>('webhooks', {
    where: { listedFor: [orgId], kind: ['endpoint'] },
    by: 'usedAt',
    limit: MOST,
  })
