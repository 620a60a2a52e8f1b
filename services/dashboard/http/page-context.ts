import type { Request, Response } from 'express'
import { dashboardUseOf } from '#packages/accounts/keys/key-use.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { queryIn } from '#packages/foundation/validation/query.ts'
import type { Membership } from '#packages/ports/accounts.ts'
import type { DashboardOptions } from '../options.ts'
import type { DashboardParts } from '../parts.ts'
import type { About, Access, Flash, PageContext, VisitedOrganization, Visitor } from '../route.ts'
import { baseUrlOf } from './origin.ts'
import { sessionTokenOf } from './session-cookie.ts'
import { signInUnderWayOf } from './sign-in-cookie.ts'

/** A request as the ingress passes it on. */
export type Handed = About & {
  /** The {@link Visitor} that the ingress recognized. */
  visitor: unknown
  /** Resolves when it is this visitor's turn, because rendering a page takes long. */
  turn(): Promise<void>
  /** Logs errors that are our own fault. */
  failed(error: ServiceError): void
  servedBy(route: string): void
  /** The answer is a stream that lasts as long as its reader wants. */
  lasts(): void
  isAbout(orgId: string): void
}

export type ContextParts = Pick<DashboardParts, 'details' | 'rates' | 'use'> & { closing: AbortSignal }
type Options = Pick<DashboardOptions, 'publicUrl'>

/** The visitor has to sign in first. */
export class SignInNeeded extends Error {}

/** Visitors cannot distinguish organizations of others from ones that do not exist. */
const nothingHere = (): ServiceError => new ServiceError('not_found', 'There is no such page.')

/**
 * The input of a route. Each request of a person who is signed in counts as a light request of the organization in the
 * path, or of their account if they are not a member there. A member's requests for parts of pages are not counted.
 * @throws SignInNeeded; ServiceError rate_limited, not_found if the visitor may not know that it exists, forbidden,
 *   payload_too_large
 */
export async function pageContextOf(
  parts: ContextParts,
  { publicUrl }: Options,
  request: Request,
  response: Response,
  { access, isOfPage, about, flash }: { access: Access; isOfPage: boolean; about: Handed; flash: Flash | undefined },
): Promise<PageContext> {
  const visitor = about.visitor as Visitor | undefined
  const membership = visitor?.account.memberships.find(({ orgId }) => orgId === request.params.orgId)
  const isCounted = !(isOfPage && membership)
  if (visitor !== undefined && isCounted) await parts.rates.ofPages('light', membership?.orgId ?? visitor.account.id)
  const org = await organizationOf(parts, { access, visitor, membership, about })
  const lastEventId = request.headers['last-event-id']
  return {
    ...about,
    params: request.params as Record<string, string>,
    // Not with `URL`, which reads a path that begins with two slashes as a host.
    query: new URLSearchParams(queryIn(request.url)),
    // Parsed only after its sender is known, because parsing the largest form takes 10 ms.
    form: formOf(request.body),
    flash: flash ?? {},
    isInPlace: isInPlace(request),
    visitor,
    org,
    baseUrl: baseUrlOf(request.headers, publicUrl),
    sessionToken: sessionTokenOf(request.headers),
    signInUnderWay: signInUnderWayOf(request.headers),
    lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
    signal: signalOf(response, parts.closing),
  }
}

/** A script sent the form. It shows the answer, or loads the page that a redirect names. */
export const isInPlace = ({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean =>
  method === 'POST' && 'x-in-place' in headers

/** The most fields of a form: ten times as many as our largest has. Parsing 95,000 takes 90 ms. */
const MAX_FIELDS = 300

/** @throws ServiceError payload_too_large */
function formOf(body: unknown): URLSearchParams {
  const text = typeof body === 'string' ? body : ''
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++fields > MAX_FIELDS) throw new ServiceError('payload_too_large', 'The form is too large.')
  return new URLSearchParams(text)
}

type Asking = { access: Access; visitor: Visitor | undefined; membership: Membership | undefined; about: Handed }

async function organizationOf(
  { details, use }: ContextParts,
  { access, visitor, membership, about }: Asking,
): Promise<VisitedOrganization | undefined> {
  if (access === 'anyone') return undefined
  if (visitor === undefined) throw new SignInNeeded()
  if (access === 'operator' && !visitor.account.isOperator) throw nothingHere()
  if (access === 'person' || access === 'operator') return undefined
  if (membership === undefined) throw nothingHere()
  if (access === 'owner' && membership.role !== 'owner')
    throw new ServiceError('forbidden', 'Only owners of the organization may do that.')
  about.isAbout(membership.orgId)
  use.note(dashboardUseOf(membership.orgId))
  // A page without the organization's name is better than no page.
  const name = await details.nameOf(membership.orgId).catch(() => 'Your organization')
  return { ...membership, name }
}

function signalOf(response: Response, closing: AbortSignal): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return AbortSignal.any([gone.signal, closing])
}
