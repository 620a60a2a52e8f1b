/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { OwnWebhook } from '#packages/jobs/webhooks/webhooks.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { Facts, Field, FormProblem, Notice, type Problems, Submit, Time } from '../../look/parts.tsx'
import { Deliveries, type ShownDeliveries } from './deliveries.tsx'
import { fieldsOf, WebhookForm } from './webhook-form.tsx'
import { StateBadge } from './webhooks.tsx'
import { offReasonOf } from './words.ts'

type Parts = {
  webhook: OwnWebhook & { url: string | null }
  deliveries: ShownDeliveries
  /** Whether it is the first page of deliveries. */
  isFirst: boolean
  /** The addresses of this page and of the organization's jobs. */
  base: string
  jobs: string
  problems: Problems
  /** What was typed into a refused form. */
  typed: URLSearchParams
  now: number
}

/** A replay usually begins this long ago, milliseconds. */
const A_DAY_MS = 24 * 60 * 60 * 1000

export function WebhookPage({ webhook, deliveries, isFirst, base, jobs, problems, typed, now }: Parts): VNode {
  const { kind, url, status } = webhook
  const { '': ofAll = '', from: ofReplay = '', ...ofWebhook } = problems
  const isTyped = typed.has('url')
  return (
    <>
      <a class="back" href={base.slice(0, base.lastIndexOf('/'))}>
        All webhooks
      </a>
      <h1>{webhook.host}</h1>
      {ofAll && <FormProblem problems={{ '': ofAll }} />}
      {status === 'off' && (
        <Notice tone={webhook.reason === 'asked' ? 'warn' : 'bad'}>
          <p>
            <strong>Off: nothing is sent.</strong> {offReasonOf(webhook)} Switch it on and use Replay to resend what it
            missed.
          </p>
        </Notice>
      )}
      <section class="card">
        <Facts
          breaks={['URL']}
          facts={{
            URL: url === null ? 'Not readable any more: delete the webhook and add it again' : <code>{url}</code>,
            Events: kind === 'url' ? 'End of each job that names this webhookUrl' : webhook.events.join(', '),
            State: <StateBadge webhook={webhook} />,
            Created: <Time at={webhook.createdAt} />,
          }}
        />
        <Acts base={base} webhook={webhook} />
      </section>
      <Deliveries base={base} jobs={jobs} deliveries={deliveries} isFirst={isFirst} />
      {kind === 'endpoint' && (
        <section class="card narrow">
          <h2>Replay</h2>
          <p>If your server was down: resend all events since a point in time, oldest first.</p>
          <form method="post" action={`${base}/replay`}>
            <Field
              name="from"
              label="From (UTC)"
              type="datetime-local"
              value={typed.get('from') ?? isoOf(now - A_DAY_MS).slice(0, 16)}
              problems={ofReplay ? { from: ofReplay } : {}}
              required
            />
            <button type="submit">Resend events</button>
          </form>
        </section>
      )}
      {kind === 'endpoint' && (
        <section class="card narrow">
          <h2>Edit</h2>
          <WebhookForm
            action={base}
            act="Save"
            fields={isTyped ? fieldsOf(typed) : { ...webhook, url: url ?? '' }}
            problems={ofWebhook}
          />
        </section>
      )}
    </>
  )
}

const Acts = ({ base, webhook: { status, kind } }: { base: string; webhook: OwnWebhook }): VNode => (
  <div class="row">
    <form method="post" action={`${base}/ping`}>
      <Submit>Send a ping</Submit>
    </form>
    <form method="post" action={`${base}/${status === 'on' ? 'off' : 'on'}`}>
      <button type="submit">{status === 'on' ? 'Switch off' : 'Switch on'}</button>
    </form>
    {kind === 'endpoint' && (
      <details class="ask">
        <summary class="button">New secret</summary>
        <form method="post" action={`${base}/rotate`}>
          <p class="small">For one day, messages are signed with both the new and the old secret.</p>
          <button type="submit">Create new secret</button>
        </form>
      </details>
    )}
    <details class="ask">
      <summary class="button">Delete</summary>
      <form method="post" action={`${base}/delete`}>
        <p class="small">Pending messages are dropped. This cannot be undone.</p>
        <Submit tone="bad">Delete this webhook</Submit>
      </form>
    </details>
  </div>
)
