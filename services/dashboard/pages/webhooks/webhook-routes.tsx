/** @jsxRuntime automatic @jsxImportSource preact */
import type { WebhookChanges } from '#contracts/generated/http.ts'
import { operator } from '#packages/domain/key/key.ts'
import { replayStartOf, webhookChangesOf } from '#packages/jobs/webhooks/webhook-request.ts'
import { formRoutes } from '../../form-routes.ts'
import { metadataOf } from '../../http/metadata.ts'
import { orMissing } from '../../look/missing.tsx'
import type { Notice } from '../../notices.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Redirect, type Route, redirect } from '../../route.ts'
import { refusedIn, submitted } from '../submitted.ts'
import { newSecretPage } from './new-secret.tsx'
import { fieldsOf } from './webhook-form.tsx'
import { WebhookPage } from './webhook-page.tsx'

type Parts = Pick<DashboardParts, 'webhooks' | 'deliveries' | 'rates' | 'clock'>

/** Messages on one page, which may have at most 60 kB. */
const PAGE_SIZE = 8

const idIn = ({ params }: OrgPageContext): string => params.webhookId ?? ''
const addressOf = ({ params, org }: OrgPageContext): string => `${pathOf(org.orgId, 'webhooks')}/${params.webhookId}`

/** `/org/{orgId}/webhooks/{webhookId}`: one webhook, its messages, and its actions. */
export function webhookRoutes(parts: Parts, options: PageOptions): Route[] {
  const { webhooks, deliveries, rates, clock } = parts
  const path = '/org/:orgId/webhooks/:webhookId'

  /** Performs an action and redirects to the webhook's page, which shows the error if it failed. */
  const act =
    (notice: Notice, work: (context: OrgPageContext) => Promise<unknown>) =>
    async (context: OrgPageContext): Promise<Redirect> => {
      const { refusal } = await submitted(() => work(context))
      return redirect(addressOf(context), refusal ? { flash: { refusal, typed: [...context.form] } } : { notice })
    }
  /** The same for actions that send messages, which count as heavy requests. */
  const send = (notice: Notice, work: (context: OrgPageContext) => Promise<unknown>) =>
    act(notice, async (context) => {
      await rates.ofPages('heavy', context.org.orgId)
      return work(context)
    })
  const change = (context: OrgPageContext, changes: WebhookChanges) =>
    webhooks.change(idIn(context), changes, { by: operator, metadata: metadataOf(context) })

  return [
    {
      path,
      access: 'member',
      get: (context) =>
        context.flash.newSecret === undefined
          ? showWebhook(parts, options, context)
          : newSecretPage(context.flash.newSecret, options.root + addressOf(context)),
      post: act('webhook-changed', async (context) => change(context, webhookChangesOf(fieldsOf(context.form)))),
    },
    ...formRoutes(path, 'member', {
      on: act('webhook-on', (context) => change(context, { status: 'on' })),
      off: act('webhook-off', (context) => change(context, { status: 'off' })),
      rotate: (context) => rotate(parts, context),
      async delete(context) {
        await webhooks.remove(idIn(context), metadataOf(context))
        return redirect(pathOf(context.org.orgId, 'webhooks'), { notice: 'webhook-deleted' })
      },
      ping: send('webhook-pinged', (context) => deliveries.ping(idIn(context), metadataOf(context))),
      replay: send('webhook-replayed', async (context) => {
        const from = replayStartOf({ from: instantIn(context.form) }, clock.now())
        return webhooks.replay(idIn(context), from, metadataOf(context))
      }),
      'deliveries/:deliveryId/redeliver': send('webhook-redelivered', (context) =>
        deliveries.redeliver(idIn(context), context.params.deliveryId ?? '', metadataOf(context)),
      ),
    }),
  ]
}

/** The value of a field for date and time. Such a field has no time zone, so its label requires UTC. */
function instantIn(form: URLSearchParams): string {
  const typed = form.get('from') ?? ''
  return `${typed}${/T\d\d:\d\d$/.test(typed) ? ':00' : ''}Z`
}

async function rotate({ webhooks }: Parts, context: OrgPageContext): Promise<Redirect> {
  const { orgId } = context.org
  const { done, refusal } = await submitted(async () => ({
    host: (await webhooks.get(orgId, idIn(context))).host,
    secret: await webhooks.rotate(orgId, idIn(context)),
  }))
  return redirect(addressOf(context), { flash: refusal ? { refusal } : { newSecret: done } })
}

async function showWebhook(
  { webhooks, deliveries, clock }: Parts,
  { root }: PageOptions,
  context: OrgPageContext,
): Promise<Page> {
  const { orgId } = context.org
  const { status, problems, typed } = refusedIn(context.flash)
  const cursor = context.query.get('cursor') ?? undefined
  const webhook = await webhooks.get(orgId, idIn(context))
  const question = { status: undefined, cursor, limit: PAGE_SIZE }
  const shown = await orMissing(() => deliveries.list(orgId, idIn(context), question))
  return page({
    title: webhook.host,
    section: 'webhooks',
    status,
    main: (
      <WebhookPage
        webhook={webhook}
        deliveries={shown}
        isFirst={cursor === undefined}
        base={root + addressOf(context)}
        jobs={root + pathOf(orgId, 'jobs')}
        problems={problems}
        typed={typed}
        now={clock.now()}
      />
    ),
  })
}
