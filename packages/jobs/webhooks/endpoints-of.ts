import type { WebhookDocument } from '#packages/events/views/webhooks.ts'
import type { Stored, Views } from '#packages/ports/views.ts'

/** More than any plan allows. */
const MOST = 100

/** The endpoints of an organization: a few, among any number of URLs that its jobs have named. */
export const endpointsOf = (views: Pick<Views, 'page'>, orgId: string): Promise<Stored<WebhookDocument>[]> =>
  views.page<WebhookDocument>('webhooks', {
    where: { listedFor: [orgId], kind: ['endpoint'] },
    by: 'usedAt',
    limit: MOST,
  })
