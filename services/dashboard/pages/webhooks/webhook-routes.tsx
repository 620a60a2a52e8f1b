/** @jsxRuntime automatic @jsxImportSource preact */
import { orMissing } from '../../look/missing.tsx'
import { replayStartOf, webhookChangesOf } from '#packages/webhooks/webhook-request.ts'
import { metadataOf } from '../../http/metadata.ts'
import type { Notice } from '../../notices.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Redirect, type Route, redirect } from '../../route.ts'
import { refusedIn, submitted } from '../submitted.ts'
import { newSecretPage } from './new-secret.tsx'
import { fieldsOf } from './webhook-form.tsx'
import { WebhookPage } from './webhook-page.tsx'
import { hostIn } from './words.ts'

type Parts = Pick<DashboardParts, 'webhooks' | 'rates' | 'clock'>

/** Messages on one page. */
const PAGE_SIZE = 20

const ownedIn = ({ params, org: { orgId } }: OrgPageContext) => ({ orgId, webhookId: params.webhookId ?? '' })
const addressOf = ({ params, org }: OrgPageContext): string => `${pathOf(org.orgId, 'webhooks')}/${params.webhookId}`

/** `/org/{orgId}/webhooks/{webhookId}`: one webhook, what it was sent, and what is done with it. */
export function webhookRoutes(parts: Parts, options: PageOptions): Route[] {
  const { webhooks, rates, clock } = parts
  const path = '/org/:orgId/webhooks/:webhookId'

  /** Does one thing and leads back to the webhook, or says there why not. */
  const act =
    (notice: Notice, work: (context: OrgPageContext) => Promise<unknown>) =>
    async (context: OrgPageContext): Promise<Redirect> => {
      const { refusal } = await submitted(() => work(context))
      return redirect(addressOf(context), refusal ? { flash: { refusal, typed: [...context.form] } } : { notice })
    }
  /** The same for what has messages sent: it counts as a heavy request. */
  const send = (notice: Notice, work: (context: OrgPageContext) => Promise<unknown>) =>
    act(notice, async (context) => {
      await rates.ofPages('heavy', context.org.orgId)
      return work(context)
    })
  const switchTo = (enabled: boolean) =>
    act(enabled ? 'webhook-on' : 'webhook-off', (context) =>
      webhooks.change(ownedIn(context), { enabled }, metadataOf(context)),
    )

  return [
    {
      path,
      access: 'member',
      get: (context) =>
        context.flash.newSecret === undefined
          ? showWebhook(parts, options, context)
          : newSecretPage(context.flash.newSecret, options.root + addressOf(context)),
      post: act('webhook-changed', (context) => {
        const changes = webhookChangesOf(fieldsOf(context.form), { isHttpAllowed: options.webhooksAllowHttp })
        return webhooks.change(ownedIn(context), changes, metadataOf(context))
      }),
    },
    { path: `${path}/on`, access: 'member', post: switchTo(true) },
    { path: `${path}/off`, access: 'member', post: switchTo(false) },
    { path: `${path}/rotate`, access: 'member', post: (context) => rotate(parts, context) },
    {
      path: `${path}/delete`,
      access: 'member',
      async post(context) {
        await webhooks.remove(ownedIn(context), metadataOf(context))
        return redirect(pathOf(context.org.orgId, 'webhooks'), { notice: 'webhook-deleted' })
      },
    },
    {
      path: `${path}/ping`,
      access: 'member',
      post: send('webhook-pinged', (context) => webhooks.ping(ownedIn(context), metadataOf(context))),
    },
    {
      path: `${path}/replay`,
      access: 'member',
      post: send('webhook-replayed', (context) => {
        const from = replayStartOf({ from: instantIn(context.form) }, clock.now())
        return webhooks.replay(ownedIn(context), from, metadataOf(context))
      }),
    },
    {
      path: `${path}/deliveries/:deliveryId/redeliver`,
      access: 'member',
      post: send('webhook-redelivered', (context) =>
        webhooks.redeliver(ownedIn(context), context.params.deliveryId ?? '', metadataOf(context)),
      ),
    },
  ]
}

/** What a field of date and time has, which knows no time zone: it asks for UTC. */
function instantIn(form: URLSearchParams): string {
  const typed = form.get('from') ?? ''
  return `${typed}${/T\d\d:\d\d$/.test(typed) ? ':00' : ''}Z`
}

async function rotate({ webhooks }: Parts, context: OrgPageContext): Promise<Redirect> {
  const owned = ownedIn(context)
  const { done, refusal } = await submitted(async () => ({
    host: hostIn(await webhooks.get(owned)),
    made: await webhooks.rotate(owned, metadataOf(context)),
  }))
  if (refusal) return redirect(addressOf(context), { flash: { refusal } })
  const { host, made } = done
  return redirect(addressOf(context), { flash: { newSecret: { host, secret: made.secret, until: made.previousValidUntil } } })
}

async function showWebhook(
  { webhooks, clock }: Parts,
  { root }: PageOptions,
  context: OrgPageContext,
): Promise<Page> {
  const owned = ownedIn(context)
  const { status, problems, typed } = refusedIn(context.flash)
  const cursor = context.query.get('cursor') ?? undefined
  const webhook = await webhooks.get(owned)
  const deliveries = await orMissing(() => webhooks.deliveries(owned, { cursor, limit: PAGE_SIZE }))
  return page({
    title: hostIn(webhook),
    section: 'webhooks',
    status,
    main: (
      <WebhookPage
        webhook={webhook}
        deliveries={deliveries}
        isFirst={cursor === undefined}
        base={root + addressOf(context)}
        jobs={root + pathOf(owned.orgId, 'jobs')}
        problems={problems}
        typed={typed}
        now={clock.now()}
      />
    ),
  })
}
