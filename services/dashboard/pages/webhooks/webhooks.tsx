/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { plans } from '#packages/domain/credits/plans.ts'
import { operator } from '#packages/domain/key/key.ts'
import { webhookRequestOf } from '#packages/jobs/webhooks/webhook-request.ts'
import type { OwnWebhook } from '#packages/jobs/webhooks/webhooks.ts'
import { metadataOf } from '../../http/metadata.ts'
import { Missing, type OrMissing, orMissing } from '../../look/missing.tsx'
import { Day, Empty } from '../../look/parts.tsx'
import { Table } from '../../look/table.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Redirect, type Route, redirect } from '../../route.ts'
import { refusedIn, submitted } from '../submitted.ts'
import { newSecretPage } from './new-secret.tsx'
import { emptyFields, fieldsOf, WebhookForm } from './webhook-form.tsx'
import { offReasonOf } from './words.ts'

type Parts = Pick<DashboardParts, 'webhooks' | 'details'>

/** `/org/{orgId}/webhooks`: the organization's webhooks. */
export const webhooksRoutes = (parts: Parts, options: PageOptions): Route[] => [
  {
    path: '/org/:orgId/webhooks',
    access: 'member',
    get: (context) =>
      context.flash.newSecret === undefined
        ? webhooksPage(parts, context, options)
        : newSecretPage(context.flash.newSecret, options.root + pathOf(context.org.orgId, 'webhooks')),
    post: (context) => makeWebhook(parts, context),
  },
  {
    path: '/org/:orgId/webhooks/secret',
    access: 'member',
    post: (context) => makeSecret(parts, context),
  },
]

async function makeWebhook({ webhooks, details }: Parts, context: OrgPageContext): Promise<Redirect> {
  const { org, form } = context
  const list = pathOf(org.orgId, 'webhooks')
  const { done, refusal } = await submitted(async () => {
    const asked = webhookRequestOf(fieldsOf(form))
    const limit = plans[await details.planOf(org.orgId)].webhooks
    return webhooks.create(asked, { by: operator, limit, metadata: metadataOf(context) })
  })
  if (refusal) return redirect(list, { flash: { refusal, typed: [...form] } })
  return redirect(list, { flash: { newSecret: { host: done.host, secret: done.secret } } })
}

async function makeSecret({ webhooks }: Parts, context: OrgPageContext): Promise<Redirect> {
  const list = pathOf(context.org.orgId, 'webhooks')
  const { done, refusal } = await submitted(() => webhooks.rotateDefaultSecret(context.org.orgId))
  return redirect(list, { flash: refusal ? { refusal } : { newSecret: { secret: done } } })
}

async function webhooksPage({ webhooks }: Parts, { org, flash }: OrgPageContext, { root }: PageOptions): Promise<Page> {
  const { status, problems, typed } = refusedIn(flash)
  const fields = flash.typed === undefined ? emptyFields : fieldsOf(typed)
  const all = await orMissing(() => webhooks.list(org.orgId))
  const base = root + pathOf(org.orgId, 'webhooks')
  return page({
    title: 'Webhooks',
    section: 'webhooks',
    status,
    main: (
      <>
        <h1>Webhooks</h1>
        <p class="quiet narrow">
          Webhooks send events to your server. We retry for about four days until it accepts, so a message can arrive
          more than once. Verify signatures with a <a href="https://www.standardwebhooks.com">Standard Webhooks</a>{' '}
          library.
        </p>
        <List webhooks={all} base={base} />
        <section class="card narrow">
          <h2>Add a webhook</h2>
          <WebhookForm action={base} act="Add webhook" fields={fields} problems={problems} />
        </section>
        <DefaultSecret action={`${base}/secret`} />
      </>
    ),
  })
}

const DefaultSecret = ({ action }: { action: string }): VNode => (
  <section class="card narrow">
    <h2>Signing secret for single jobs</h2>
    <p>
      A job request can name a <code>webhookUrl</code> to call when the job ends. Those messages share one signing
      secret. If you create a new one, messages are signed with both for a day.
    </p>
    <form method="post" action={action}>
      <button type="submit">Create secret</button>
    </form>
  </section>
)

function List({ webhooks, base }: { webhooks: OrMissing<OwnWebhook[]>; base: string }): VNode {
  if (webhooks.missing) return <Missing what="Your webhooks" />
  if (webhooks.value.length === 0)
    return (
      <Empty title="No webhooks yet">
        <p>Add one below. Its secret is shown once.</p>
      </Empty>
    )
  return (
    <Table
      label="Webhooks"
      caption="Webhooks, oldest first"
      rows={webhooks.value}
      keyOf={({ id }) => id}
      lead="Host"
      columns={{
        Host: ({ id, host }) => (
          <a class="row-link" href={`${base}/${id}`}>
            {host}
          </a>
        ),
        Events: (webhook) => (webhook.kind === 'url' ? 'Jobs that name it' : webhook.events.join(', ')),
        State: (webhook) => (
          <span>
            <StateBadge webhook={webhook} />
            {webhook.status === 'off' && <span class="quiet small under">{offReasonOf(webhook)}</span>}
          </span>
        ),
        Created: ({ createdAt }) => <Day at={createdAt} />,
      }}
    />
  )
}

export const StateBadge = ({ webhook: { status, reason } }: { webhook: OwnWebhook }): VNode => {
  const tone = status === 'on' ? 'good' : reason === 'asked' ? '' : 'bad'
  return <span class={`badge ${tone}`}>{status === 'on' ? 'On' : 'Off'}</span>
}
