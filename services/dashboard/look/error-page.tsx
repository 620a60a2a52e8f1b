/** @jsxRuntime automatic @jsxImportSource preact */
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { errorWords } from '../http/error-words.ts'
import { type Page, page, type VisitedOrganization } from '../route.ts'

/** The page that replaces one that failed. `requestId`: operators search the log for it. */
export function errorPage(
  error: ServiceError,
  { root, requestId, org }: { root: string; requestId: string; org?: VisitedOrganization | undefined },
): Page {
  const { status, title, message, retryAfterSeconds } = errorWords(error)
  return page({
    title,
    status,
    main: (
      <section class="card narrow">
        <h1>{title}</h1>
        <p>{message}</p>
        {retryAfterSeconds !== undefined && <p>Try again in {retryAfterSeconds} seconds.</p>}
        <p>
          <a class="button" href={org ? `${root}/org/${org.orgId}` : `${root}/../`}>
            {org ? 'Back to the overview' : 'Go to the home page'}
          </a>
        </p>
        <p class="quiet small">
          Request ID: <code>{requestId}</code>
        </p>
      </section>
    ),
  })
}
