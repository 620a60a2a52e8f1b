import { closeOrganization } from '#packages/history/removal/close-organization.ts'
import type { Account } from '#packages/ports/accounts.ts'
import type { AccountPorts } from './account-ports.ts'
import type { PasswordCheck } from './password-check.ts'
import { removeMembers, withoutMembership } from './remove-members.ts'
import type { SignedIn } from './sessions.ts'

type Ports = Pick<AccountPorts, 'accounts' | 'store' | 'views' | 'attempts' | 'clock' | 'ids'>

/**
 * Removes people, and closes the organizations that they leave without an owner. Closing revokes the keys, cancels
 * the open jobs and removes all members. It also decides that the organization is forgotten, which
 * `services/retention` carries out. Every part can be repeated: after an interruption the account still exists, and
 * its removal is requested again. Only the entries of the audit trail remain of the person. They name the account's
 * id.
 */
export class Removal {
  readonly #ports: Ports
  readonly #check: PasswordCheck

  constructor(ports: Ports & { check: PasswordCheck }) {
    this.#ports = ports
    this.#check = ports.check
  }

  /** Organizations that end with a person, because they are its last owner. */
  async wouldClose({ id, memberships }: Account): Promise<string[]> {
    const owned = memberships.filter(({ role }) => role === 'owner')
    const closing: string[] = []
    for (const { orgId } of owned) if (!(await this.#hasOwnerBesides(orgId, id))) closing.push(orgId)
    return closing
  }

  /**
   * Removes a person's own account. Asks for the password, or, if there is none, requires a session of the last
   * minutes.
   * @throws ServiceError invalid_request naming `password`, forbidden, rate_limited, unavailable (nothing is lost:
   *   again)
   */
  async removeOwn(who: SignedIn, password: string): Promise<void> {
    await this.#check.assertAgain(who, password)
    await this.remove(who.account.id)
  }

  /**
   * Closes an organization for an owner, who keeps the account. Asks as {@link removeOwn} does.
   * @throws ServiceError invalid_request naming `password`, forbidden, rate_limited, unavailable (the owner is still
   *   in it: again)
   */
  async closeOwn(who: SignedIn, orgId: string, password: string): Promise<void> {
    await this.#check.assertAgain(who, password)
    const { id } = who.account
    await this.#close(orgId, id)
    await this.#ports.accounts.update(id, (account) => withoutMembership(account, orgId))
    // Closes it again: until now the owner could begin a job or create a key.
    await this.#close(orgId, id)
  }

  /** An operator removes an account. @throws ServiceError unavailable */
  async remove(accountId: string): Promise<void> {
    const { accounts } = this.#ports
    await accounts.endSessions(accountId)
    const account = await accounts.get(accountId)
    if (account === undefined) return
    const closed = await this.wouldClose(account)
    for (const orgId of closed) await this.#close(orgId, accountId)
    await accounts.remove(accountId)
    // Closes these again: until now an invitation of the last owner worked. And two last owners who leave at the same
    // time each counted on the other.
    for (const orgId of new Set([...closed, ...(await this.wouldClose(account))])) await this.#close(orgId, accountId)
  }

  /** Removes the other members first. Then only the last owner can begin a job or create a key. */
  async #close(orgId: string, lastOwnerId: string): Promise<void> {
    await removeMembers(this.#ports, orgId, lastOwnerId)
    await closeOrganization(this.#ports, { orgId, cause: this.#ports.ids.uuid() })
  }

  async #hasOwnerBesides(orgId: string, accountId: string): Promise<boolean> {
    const members = await this.#ports.accounts.membersOf(orgId)
    return members.some(
      ({ id, memberships }) =>
        id !== accountId && memberships.some((one) => one.orgId === orgId && one.role === 'owner'),
    )
  }
}
