/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { OwnAttempt, OwnDelivery } from '#packages/jobs/webhooks/deliveries.ts'
import { Missing, type OrMissing } from '../../look/missing.tsx'
import { formatNumber, Scroll, TableHead, Time, Zone } from '../../look/parts.tsx'
import { eventWords } from './words.ts'

/** One page of messages. */
export type ShownDeliveries = OrMissing<{ deliveries: readonly OwnDelivery[]; nextCursor: string | null }>

type Parts = { base: string; jobs: string; deliveries: ShownDeliveries; isFirst: boolean }

/** The messages to a webhook, newest first. */
export function Deliveries({ base, jobs, deliveries, isFirst }: Parts): VNode {
  if (deliveries.missing) return <Missing what="Deliveries" />
  const { deliveries: shown, nextCursor } = deliveries.value
  if (shown.length === 0 && isFirst)
    return (
      <section class="card">
        <h2>Messages</h2>
        <p>None yet. Send a ping to test your server.</p>
      </section>
    )
  return (
    <section>
      <h2>Messages</h2>
      <Scroll label="Messages">
        <table class="stacked">
          <caption>
            {shown.length === 0 ? (
              'No older messages.'
            ) : (
              <>
                Newest first. <Zone />
              </>
            )}
          </caption>
          <TableHead columns={['Event', 'State', 'Attempts', 'When', 'Resend']} />
          <tbody>
            {shown.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} base={base} jobs={jobs} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <nav class="row" aria-label="Pages of messages">
        {!isFirst && <a href={base}>Newest messages</a>}
        {nextCursor !== null && (
          <a class="button" href={`${base}?cursor=${encodeURIComponent(nextCursor)}`}>
            Older messages
          </a>
        )}
      </nav>
    </section>
  )
}

function Row({ delivery, base, jobs }: { delivery: OwnDelivery; base: string; jobs: string }): VNode {
  const { id, type, jobId, createdAt } = delivery
  return (
    <tr>
      <td data-label="Event">
        <span class="nowrap">
          {eventWords[type]}
          {jobId !== null && (
            <a class="small under" href={`${jobs}/${jobId}`}>
              View job
            </a>
          )}
        </span>
      </td>
      <td data-label="State">
        <State delivery={delivery} />
      </td>
      <td data-label="Attempts">
        <Attempts attempts={delivery.attempts} />
      </td>
      <td data-label="When">
        <Time at={createdAt} />
      </td>
      <td data-label="Resend">
        <form method="post" action={`${base}/deliveries/${id}/redeliver`}>
          <button class="small" type="submit" aria-label={`Resend: ${eventWords[type]}, ${createdAt}`}>
            Resend
          </button>
        </form>
      </td>
    </tr>
  )
}

const states: Readonly<Record<OwnDelivery['status'], readonly [words: string, tone: string]>> = {
  open: ['Waiting', 'busy'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
  dropped: ['Dropped', ''],
}

function State({ delivery: { status, nextAttemptAt } }: { delivery: OwnDelivery }): VNode {
  const [words, tone] = states[status]
  return (
    <span>
      <span class={`badge ${tone}`}>{words}</span>
      {nextAttemptAt !== null && (
        <span class="quiet small under">
          Next attempt at <Time at={nextAttemptAt} />
        </span>
      )}
    </span>
  )
}

/** The last attempt. Unfolded, it shows all attempts. */
function Attempts({ attempts }: { attempts: readonly OwnAttempt[] }): VNode {
  const last = attempts.at(-1)
  if (last === undefined) return <>None yet</>
  return (
    <details>
      <summary>{`${attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}: ${outcomeOf(last)}`}</summary>
      <ol class="small">
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <Time at={attempt.at} /> {`${outcomeOf(attempt)}, ${formatNumber(attempt.milliseconds)} ms`}
            {attempt.answer !== '' && (
              <pre>
                <code>{attempt.answer}</code>
              </pre>
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}

const outcomeOf = ({ status, failure }: OwnAttempt): string =>
  status === null ? `no answer (${(failure ?? 'unknown').replaceAll('_', ' ')})` : `answered ${status}`
