import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type Account, addressKey, type Membership, type Role, type Token } from '#packages/ports/accounts.ts'
import { emailOf } from './account-fields.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { linkOf } from './links.ts'
import { mailTexts } from './mail-texts.ts'
import type { Mails } from './mails.ts'
import { invitationIsOver, isBacked, openInvitation } from './open-invitation.ts'
import { putNewToken } from './put-new-token.ts'
import { tokenHash } from './secret-token.ts'

const INVITATION_MS = 7 * 24 * 60 * 60 * 1000

/** Most open invitations of one organization. */
const MAX_INVITATIONS = 50
const MAX_MEMBERS = 200

export type Member = { accountId: string; email: string; role: Role; since: number }

/**
 * An open invitation. `id`: the hash of its token, used to withdraw it. `email`: the address to which it was mailed.
 * Null: anyone with the link may use it.
 */
export type Invitation = { id: string; email: string | null; role: Role; expiresAt: number }

type Ports = Pick<AccountPorts, 'accounts' | 'clock'> & { mails: Mails }

/**
 * The membership of a person in an organization. @throws ServiceError not_found, which reveals nothing about the
 * organization
 */
export function membershipOf({ memberships }: Account, orgId: string): Membership {
  const found = memberships.find((membership) => membership.orgId === orgId)
  if (found === undefined) throw new ServiceError('not_found', 'There is no such organization.')
  return found
}

/** @throws ServiceError not_found, forbidden */
export function assertOwner(account: Account, orgId: string): void {
  if (membershipOf(account, orgId).role === 'owner') return
  throw new ServiceError('forbidden', 'Only an owner of the organization may do this.', { details: { reason: 'role' } })
}

/**
 * The people of an organization. An owner invites, removes and promotes; an organization keeps its last owner. An
 * invitation ends when its maker loses the right to invite.
 */
export class Members {
  readonly #ports: Ports
  readonly #options: Pick<AccountOptions, 'dashboardUrl'>

  constructor(ports: Ports, options: Pick<AccountOptions, 'dashboardUrl'>) {
    this.#ports = ports
    this.#options = options
  }

  /** In the order of joining. */
  async of(orgId: string): Promise<Member[]> {
    const accounts = await this.#ports.accounts.membersOf(orgId)
    return accounts.map((account) => {
      const { role, since } = membershipOf(account, orgId)
      return { accountId: account.id, email: account.email, role, since }
    })
  }

  /**
   * Invites a person for seven days. If an address is given and mails can be sent, the link is mailed and shown to no
   * one else. So a person who has the link has proved that the address is theirs.
   * @param wanted.email undefined: only creates the link
   * @returns the link, for the owner to hand on; undefined if it was mailed
   * @throws ServiceError not_found, forbidden, invalid_request naming `email`
   */
  async invite(
    by: Account,
    orgId: string,
    wanted: { email?: string | undefined; role: Role },
  ): Promise<string | undefined> {
    assertOwner(by, orgId)
    const { mails } = this.#ports
    const email = wanted.email === undefined ? undefined : emailOf(wanted.email)
    await this.#assertRoom(orgId, email)
    const isMailed = email !== undefined && mails.isSet
    const invitation = { accountId: by.id, email: isMailed ? email : null, gives: { orgId, role: wanted.role } }
    const token = await putNewToken(this.#ports, { purpose: 'invite', ...invitation }, INVITATION_MS)
    const link = linkOf(this.#options.dashboardUrl(), 'invite', token)
    if (!isMailed) return link
    mails.send(mailTexts.invite(email, link))
    return undefined
  }

  /** Open invitations, oldest first. @throws ServiceError not_found, forbidden */
  async invitations(by: Account, orgId: string): Promise<Invitation[]> {
    assertOwner(by, orgId)
    const tokens = await this.#ports.accounts.invitationsOf(orgId, this.#ports.clock.now())
    const owners = await this.#owners(orgId)
    return tokens.flatMap(({ hash, accountId, email, gives, expiresAt }) =>
      gives === null || !owners.some((id) => id === accountId)
        ? []
        : [{ id: hash, email, role: gives.role, expiresAt }],
    )
  }

  /** @param id of the invitation @throws ServiceError not_found, forbidden */
  async withdraw(by: Account, orgId: string, id: string): Promise<void> {
    const open = await this.invitations(by, orgId)
    if (!open.some((invitation) => invitation.id === id)) throw invitationIsOver()
    await this.#ports.accounts.takeToken(id, this.#ports.clock.now())
  }

  /** The target of an invitation, for the page that asks whether to accept it. @throws ServiceError not_found */
  look(token: string): Promise<Token> {
    return openInvitation(this.#ports, tokenHash(token))
  }

  /** Uses up an invitation. @returns the organization @throws ServiceError not_found */
  accept(token: string, account: Account): Promise<string> {
    return this.acceptHash(tokenHash(token), account)
  }

  /** Uses up an invitation by the hash of its token. An existing member keeps the role. */
  async acceptHash(hash: string, { id }: Account): Promise<string> {
    const { accounts, clock } = this.#ports
    // Checks the invitation first, so that a token for another purpose is not used up.
    const invitation = await openInvitation(this.#ports, hash)
    const { gives } = invitation
    if (gives === null || (await accounts.takeToken(hash, clock.now())) === undefined) throw invitationIsOver()
    const joined: Membership = { ...gives, since: clock.now() }
    let isNew = false
    await accounts.update(id, (account) => {
      isNew = !account.memberships.some(({ orgId }) => orgId === joined.orgId)
      return isNew ? { ...account, memberships: [...account.memberships, joined] } : undefined
    })
    // The maker may have been removed meanwhile, by an owner who did not see the new member.
    if (await isBacked(accounts, invitation)) return joined.orgId
    if (isNew) await this.#replace(id, joined.orgId, undefined)
    throw invitationIsOver()
  }

  /**
   * Removes a member; any member may leave. @throws ServiceError not_found, forbidden (the last owner, or not an
   * owner)
   */
  async remove(by: Account, orgId: string, accountId: string): Promise<void> {
    if (by.id === accountId) membershipOf(by, orgId)
    else assertOwner(by, orgId)
    await this.#change(orgId, accountId, () => undefined)
  }

  /** @throws ServiceError not_found, forbidden (the last owner, or not an owner) */
  async changeRole(by: Account, orgId: string, accountId: string, role: Role): Promise<void> {
    assertOwner(by, orgId)
    await this.#change(orgId, accountId, (membership) => ({ ...membership, role }))
  }

  /** Makes a change of a membership, or reverts it if no owner is left: two owners may remove each other at once. */
  async #change(orgId: string, accountId: string, change: (of: Membership) => Membership | undefined): Promise<void> {
    const account = await this.#ports.accounts.get(accountId)
    const before = account?.memberships.find((membership) => membership.orgId === orgId)
    if (before === undefined) throw new ServiceError('not_found', 'There is no such member.')
    const after = change(before)
    if (before.role === 'owner' && after?.role !== 'owner') await this.#assertOwnerBesides(orgId, accountId)
    await this.#replace(accountId, orgId, after)
    if ((await this.#owners(orgId)).length === 0) {
      await this.#putBack(accountId, before)
      throw lastOwner()
    }
    if (after?.role !== 'owner') await this.#endInvitationsBy(accountId, orgId)
  }

  /**
   * Ends the invitations of a member who is no longer an owner. They no longer work, but would work again if the member
   * became an owner again.
   */
  async #endInvitationsBy(makerId: string, orgId: string): Promise<void> {
    const { accounts, clock } = this.#ports
    for (const { hash, accountId } of await accounts.invitationsOf(orgId, clock.now()))
      if (accountId === makerId) await accounts.takeToken(hash, clock.now())
  }

  /** Replaces a membership. A person who left or was removed meanwhile stays out. */
  async #replace(accountId: string, orgId: string, after: Membership | undefined): Promise<void> {
    await this.#ports.accounts.update(accountId, (account) => ({
      ...account,
      memberships: account.memberships.flatMap((one) => (one.orgId !== orgId ? [one] : after ? [after] : [])),
    }))
  }

  async #putBack(accountId: string, before: Membership): Promise<void> {
    await this.#ports.accounts.update(accountId, (account) => ({
      ...account,
      memberships: [...account.memberships.filter(({ orgId }) => orgId !== before.orgId), before],
    }))
  }

  async #owners(orgId: string): Promise<string[]> {
    return (await this.of(orgId)).filter(({ role }) => role === 'owner').map(({ accountId }) => accountId)
  }

  async #assertOwnerBesides(orgId: string, accountId: string): Promise<void> {
    if (!(await this.#owners(orgId)).some((id) => id !== accountId)) throw lastOwner()
  }

  async #assertRoom(orgId: string, email: string | undefined): Promise<void> {
    const { accounts, clock } = this.#ports
    const members = await this.of(orgId)
    if (email !== undefined && members.some((member) => addressKey(member.email) === addressKey(email)))
      throw invalidRequest({ path: 'email', message: 'is already a member' })
    const open = await accounts.invitationsOf(orgId, clock.now())
    if (open.length < MAX_INVITATIONS && members.length < MAX_MEMBERS) return
    const message = `An organization has at most ${MAX_MEMBERS} members and ${MAX_INVITATIONS} open invitations.`
    throw new ServiceError('forbidden', message, { details: { reason: 'too_many' } })
  }
}

const lastOwner = (): ServiceError =>
  new ServiceError('forbidden', 'An organization needs an owner: make another member an owner first.', {
    details: { reason: 'last_owner' },
  })
