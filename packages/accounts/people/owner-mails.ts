import { nameOf } from '#packages/accounts/organizations/organization-details.ts'
import type { Account, Accounts } from '#packages/ports/accounts.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { uuidFrom } from '#packages/ports/ids.ts'
import { mailTexts } from './mail-texts.ts'
import type { Mails } from './mails.ts'

/** A webhook that this service has switched off. */
export type WebhookOff = { orgId: string; webhookId: string; host: string; reason: 'gone' | 'failing' }

/** An organization with few credits left. `fillings` counts how often credits were added. */
export type LowCredits = { orgId: string; balance: number; fillings: number }

type Ports<T extends keyof Accounts> = { accounts: Pick<Accounts, 'membersOf' | T>; mails: Pick<Mails, 'send'> }

/** Mails the owners of an organization with confirmed addresses. @param dashboardUrl where the pages are */
export async function mailWebhookOff(
  { accounts, mails }: Ports<never>,
  { orgId, webhookId, host, reason }: WebhookOff,
  dashboardUrl: string,
): Promise<void> {
  const link = `${dashboardUrl}/org/${orgId}/webhooks/${webhookId}`
  for (const { email } of await ownersOf(accounts, orgId))
    mails.send(mailTexts.webhookOff(email, { host, reason, link }))
}

/**
 * Mails the owners with confirmed addresses, once until credits are added, however often and by however many processes
 * it is called. The mark is stored before the mails are sent: a crash in between loses them.
 * @param dashboardUrl where the pages are
 */
export async function mailLowCredits(
  { accounts, mails, store }: Ports<'sealed' | 'putSealed'> & { store: EventStore },
  { orgId, balance, fillings }: LowCredits,
  dashboardUrl: string,
): Promise<void> {
  const id = uuidFrom('low credits', orgId)
  const mailed = (await accounts.sealed(id))?.sealed
  const mark = String(fillings)
  if (mailed === mark) return
  const owners = await ownersOf(accounts, orgId)
  if (owners.length === 0) return
  const name = await nameOf(store, orgId)
  if (!(await accounts.putSealed({ id, orgId, sealed: mark }, mailed))) return
  const link = `${dashboardUrl}/org/${orgId}/plans`
  for (const { email } of owners) mails.send(mailTexts.creditsLow(email, { name, balance, link }))
}

async function ownersOf(accounts: Pick<Accounts, 'membersOf'>, orgId: string): Promise<Account[]> {
  const isOwner = ({ memberships }: Account): boolean =>
    memberships.some((each) => each.orgId === orgId && each.role === 'owner')
  return (await accounts.membersOf(orgId)).filter((each) => each.verifiedAt !== null && isOwner(each))
}
