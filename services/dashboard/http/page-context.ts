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

/** A request as the ingress hands it over. */
export type Handed = About & {
  /** A {@link Visitor}, as the ingress has found them. */
  visitor: unknown
  /** Resolves when it is this visitor's turn to have a page made, which takes long. */
  turn(): Promise<void>
  /** Logs what is our own fault. */
  failed(error: ServiceError): void
  servedBy(route: string): void
  /** The answer is a stream, and lasts as long as its reader likes. */
  lasts(): void
  isAbout(orgId: string): void
}

type Parts = Pick<DashboardParts, 'details' | 'rates' | 'use' | 'closing'>
type Options = Pick<DashboardOptions, 'publicUrl'>

/** Somebody who has to sign in first. */
export class SignInNeeded extends Error {}

/** Other organizations and those that do not exist are the same to a visitor. */
const nothingHere = (): ServiceError => new ServiceError('not_found', 'There is no such page.')

/**
 * What a route is given. Whatever somebody who is signed in asks for counts as a light request of the organization in
 * the path, or, where they are not in it, of their own; but not what is only a part of that organization's pages.
 * @throws SignInNeeded; ServiceError rate_limited, not_found where the visitor may not know of it, forbidden,
 *   payload_too_large
 */
export async function pageContextOf(
  parts: Parts,
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
    // Not by `URL`, to which a path that begins with two slashes names a host.
    query: new URLSearchParams(queryIn(request.url)),
    // Not before it is known who sends it: to take apart the largest one takes 10 ms.
    form: formOf(request.body),
    flash: flash ?? {},
    visitor,
    org,
    baseUrl: baseUrlOf(request.headers, publicUrl),
    sessionToken: sessionTokenOf(request.headers),
    signInUnderWay: signInUnderWayOf(request.headers),
    lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
    signal: signalOf(response, parts.closing),
  }
}

/** The most fields of a form, ten times those of our largest: to take apart 95,000 takes 90 ms. */
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
  { details, use }: Parts,
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
  // A page without its organization's name says more than none.
  const name = await details.nameOf(membership.orgId).catch(() => 'Your organization')
  return { ...membership, name }
}

function signalOf(response: Response, closing: AbortSignal): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return AbortSignal.any([gone.signal, closing])
}
