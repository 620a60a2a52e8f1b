import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'

/** The organization in the name of a stream. */
function namedIn({ stream }: StoredEvent): string | undefined {
  const prefix = ['credits-', 'organization-', 'requests-'].find((each) => stream.startsWith(each))
  return prefix && stream.slice(prefix.length)
}

/** Invariant 6, as far as events show: these fields choose what an organization can see. */
export function owners(): Check {
  const verdict = new Verdict('6', 'every stream is that of one organization, and so are a job and its debit')
  return {
    verdict,
    onEvent(event, { orgId }) {
      verdict.checked()
      const own = event.metadata.orgId
      const named = namedIn(event) ?? orgId ?? own
      const inData = 'orgId' in event.data ? event.data.orgId : own
      if (own !== named) verdict.broken(event, `it is an event of ${own} in a stream of ${named}`)
      else if (inData !== own) verdict.broken(event, `it is an event of ${own} that names ${inData}`)
    },
    onJob(event, { debit }) {
      const own = event.metadata.orgId
      if (debit !== undefined && debit.orgId !== own)
        verdict.broken(event, `${debit.orgId} was debited for a job of ${own}`)
    },
  }
}
