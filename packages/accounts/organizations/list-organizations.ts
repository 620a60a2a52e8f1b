import { plans } from '#packages/domain/credits/plans.ts'
import type { BalanceDocument } from '#packages/events/views/balances.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import type { PageQuestion, Stored, Views } from '#packages/ports/views.ts'

/** One organization as operators see it. Instants are milliseconds since 1970. */
export type ListedOrganization = {
  orgId: string
  name: string
  plan: BalanceDocument['plan']
  /** The balance, without a renewal that is due. */
  balance: number
  registeredAt: number
  /** When its credits last changed. */
  changedAt: number
}

export type OrganizationsQuestion = {
  /** Text that the name or the id contains, in any case. Empty: anything. */
  search: string
  /** The `nextCursor` of the previous page. */
  cursor: string | undefined
  limit: number
}

/**
 * One page. `nextCursor`: null on the last page. A page of a search may show few organizations although more pages
 * follow.
 */
export type OrganizationsPage = { organizations: ListedOrganization[]; nextCursor: string | null }

/** How many documents one read, and one search, reads. */
const READ_AT_ONCE = 500
const MAX_LOOKED_AT = 5000

type Place = NonNullable<PageQuestion['after']>
type RegisteredDocument = Stored<BalanceDocument> & { name: string; registeredAt: number }

const placeOf = ({ registeredAt, id }: RegisteredDocument): Place => ({ by: registeredAt, id })

const cursorOf = ({ by, id }: Place): string => Buffer.from(`${by} ${id}`).toString('base64url')

/** @throws ServiceError invalid_request for a cursor that was never a `nextCursor` */
function placeIn(cursor: string): Place {
  const [, by, id] = /^(\d{1,15}) (\S{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (by === undefined || id === undefined)
    throw invalidRequest({ path: 'cursor', message: 'is not a cursor that this list returned' })
  return { by: Number(by), id }
}

const listed = ({ id, name, plan, balance, registeredAt, changedAt }: RegisteredDocument): ListedOrganization => ({
  orgId: id,
  name,
  plan,
  balance,
  registeredAt,
  changedAt,
})

/**
 * One page of all organizations, the newest first, from the view: it reads no stream.
 * @throws ServiceError invalid_request for a cursor that was never given
 * @throws ViewsUnreadableError
 */
export async function listOrganizations(
  views: Views,
  { search, cursor, limit }: OrganizationsQuestion,
): Promise<OrganizationsPage> {
  const wanted = search.trim().toLowerCase()
  const isWanted = ({ id, name }: RegisteredDocument) => `${name}\n${id}`.toLowerCase().includes(wanted)
  const where = { plan: Object.keys(plans) }
  const organizations: ListedOrganization[] = []
  let place = cursor === undefined ? undefined : placeIn(cursor)
  for (let looked = 0; looked < MAX_LOOKED_AT; looked += READ_AT_ONCE) {
    // Without a search every document matches. One more shows that there is a next page.
    const most = wanted === '' ? limit + 1 : READ_AT_ONCE
    const question = { where, by: 'registeredAt', limit: most, ...(place && { after: place }) }
    const found = await views.page<RegisteredDocument>('balances', question)
    for (const document of found) {
      if (organizations.length === limit) return { organizations, nextCursor: place ? cursorOf(place) : null }
      if (isWanted(document)) organizations.push(listed(document))
      place = placeOf(document)
    }
    if (found.length < most) return { organizations, nextCursor: null }
  }
  return { organizations, nextCursor: place ? cursorOf(place) : null }
}

/** An organization by its id. Undefined if there is none. @throws ViewsUnreadableError */
export async function listedOrganization(views: Views, orgId: string): Promise<ListedOrganization | undefined> {
  const document = await views.get<RegisteredDocument>('balances', orgId)
  return document?.registeredAt === undefined ? undefined : listed(document)
}
