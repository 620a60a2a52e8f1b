/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { OwnAttempt, OwnDelivery } from '#packages/jobs/webhooks/deliveries.ts'
import { Missing, type OrMissing } from '../../look/missing.tsx'
import { formatNumber, Time } from '../../look/parts.tsx'
import { PagedTable } from '../../look/table.tsx'
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
      <PagedTable
        label="Messages"
        newest={isFirst ? undefined : base}
        older={nextCursor === null ? undefined : `${base}?cursor=${encodeURIComponent(nextCursor)}`}
        rows={shown}
        keyOf={({ id }) => id}
        columns={{
          Event: ({ type, jobId }) => (
            <span class="nowrap">
              {eventWords[type]}
              {jobId !== null && (
                <a class="small under" href={`${jobs}/${jobId}`}>
                  View job
                </a>
              )}
            </span>
          ),
          State: (delivery) => <State delivery={delivery} />,
          Attempts: ({ attempts }) => <Attempts attempts={attempts} />,
          When: ({ createdAt }) => <Time at={createdAt} />,
          Resend: ({ id, type, createdAt }) => (
            <form method="post" action={`${base}/deliveries/${id}/redeliver`}>
              <button class="small" type="submit" aria-label={`Resend: ${eventWords[type]}, ${createdAt}`}>
                Resend
              </button>
            </form>
          ),
        }}
      />
    </section>
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
