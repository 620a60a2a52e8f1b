/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { isoOf } from '#packages/ports/clock.ts'
import type { OwnWebhook } from '#packages/webhooks/webhooks.ts'
import { Field, FormProblem, Notice, type Problems, Time } from '../../look/parts.tsx'
import { Deliveries, type ShownDeliveries } from './deliveries.tsx'
import { fieldsOf, WebhookForm } from './webhook-form.tsx'
import { StateBadge } from './webhooks.tsx'
import { offReasonOf } from './words.ts'

type Parts = {
  webhook: OwnWebhook & { url: string | null }
  deliveries: ShownDeliveries
  /** Whether it is the first page of deliveries. */
  isFirst: boolean
  /** The address of this page, and that of the organization's jobs. */
  base: string
  jobs: string
  problems: Problems
  /** What was typed into a form that was refused. */
  typed: URLSearchParams
  now: number
}

/** Messages since this long ago are what is usually wanted again, milliseconds. */
const A_DAY_MS = 24 * 60 * 60 * 1000

export function WebhookPage({ webhook, deliveries, isFirst, base, jobs, problems, typed, now }: Parts): VNode {
  const { kind, url, status } = webhook
  const { '': ofAll = '', from: ofReplay = '', ...ofWebhook } = problems
  const isTyped = typed.has('url')
  return (
    <>
      <h1>{webhook.host}</h1>
      {ofAll && <FormProblem problems={{ '': ofAll }} />}
      {status === 'off' && (
        <Notice tone={webhook.reason === 'asked' ? 'warn' : 'bad'}>
          <p>
            <strong>It is off: nothing is sent to it.</strong> {offReasonOf(webhook)} Once it is on again, a replay
            sends what it has missed.
          </p>
        </Notice>
      )}
      <section class="card">
        <dl class="facts">
          <dt>URL</dt>
          <dd class="breaks">
            {url === null ? 'It cannot be read any more: delete it, and make it anew' : <code>{url}</code>}
          </dd>
          <dt>Told of</dt>
          <dd>{kind === 'url' ? 'The end of each job that names it as its webhookUrl' : webhook.events.join(', ')}</dd>
          <dt>State</dt>
          <dd>
            <StateBadge webhook={webhook} />
          </dd>
          <dt>Made</dt>
          <dd>
            <Time at={webhook.createdAt} />
          </dd>
        </dl>
        <Acts base={base} webhook={webhook} />
      </section>
      <Deliveries base={base} jobs={jobs} deliveries={deliveries} isFirst={isFirst} />
      {kind === 'endpoint' && (
        <section class="card narrow">
          <h2>Replay</h2>
          <p>For a server that was away: what has happened since a time is sent again, oldest first.</p>
          <form method="post" action={`${base}/replay`}>
            <Field
              name="from"
              label="From (UTC)"
              type="datetime-local"
              value={typed.get('from') ?? isoOf(now - A_DAY_MS).slice(0, 16)}
              problems={ofReplay ? { from: ofReplay } : {}}
              required
            />
            <button type="submit">Send it again</button>
          </form>
        </section>
      )}
      {kind === 'endpoint' && (
        <section class="card narrow">
          <h2>Change it</h2>
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
      <button class="main" type="submit">
        Send a ping
      </button>
    </form>
    <form method="post" action={`${base}/${status === 'on' ? 'off' : 'on'}`}>
      <button type="submit">{status === 'on' ? 'Switch off' : 'Switch on'}</button>
    </form>
    {kind === 'endpoint' && (
      <details class="ask">
        <summary class="button">New secret</summary>
        <form method="post" action={`${base}/rotate`}>
          <p class="small">For a day messages are signed with the new secret and the one before it.</p>
          <button type="submit">Make a new secret</button>
        </form>
      </details>
    )}
    <details class="ask">
      <summary class="button">Delete</summary>
      <form method="post" action={`${base}/delete`}>
        <p class="small">Messages that wait for it are dropped. It cannot be brought back.</p>
        <button class="bad" type="submit">
          Delete this webhook
        </button>
      </form>
    </details>
  </div>
)
