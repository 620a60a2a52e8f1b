import type { Accounts } from '#packages/ports/accounts.ts'
import { mailTexts } from './mail-texts.ts'
import type { Mails } from './mails.ts'

/** A webhook that this service has switched off. */
export type WebhookOff = { orgId: string; webhookId: string; host: string; reason: 'gone' | 'failing' }

type Ports = { accounts: Pick<Accounts, 'membersOf'>; mails: Pick<Mails, 'send'> }

/** Mails the owners of an organization who have confirmed their addresses. @param dashboardUrl the URL of the pages */
export async function mailWebhookOff(
  { accounts, mails }: Ports,
  { orgId, webhookId, host, reason }: WebhookOff,
  dashboardUrl: string,
): Promise<void> {
  const link = `${dashboardUrl}/org/${orgId}/webhooks/${webhookId}`
  for (const { email, verifiedAt, memberships } of await accounts.membersOf(orgId)) {
    const isOwner = memberships.some((each) => each.orgId === orgId && each.role === 'owner')
    if (isOwner && verifiedAt !== null) mails.send(mailTexts.webhookOff(email, { host, reason, link }))
  }
}
