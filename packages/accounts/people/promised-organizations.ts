import { setImmediate } from 'node:timers/promises'
import type { MadeKey, Organizations } from '#packages/accounts/organizations/organizations.ts'
import { fullGrant } from '#packages/domain/key/grant.ts'
import type { Account } from '#packages/ports/accounts.ts'
import type { AccountPorts } from './account-ports.ts'
import type { Mails } from './mails.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** How long an address may stay unconfirmed before its account is removed. */
const CONFIRM_WITHIN_MS = 7 * DAY_MS

/** A sign-up that is this old and unfinished was interrupted: its own request is over. */
const CUT_OFF_AFTER_MS = 60_000

type Ports = Pick<AccountPorts, 'accounts' | 'clock' | 'log'> & { organizations: Organizations; mails: Mails }

/**
 * Creates the organizations that sign-ups have promised. The promise is stored with the account, with the future
 * organization's id. It is cleared once the organization exists. So a crash in between leaves a promise, and keeping
 * it again repeats nothing that is already done.
 */
export class PromisedOrganizations {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /**
   * Keeps the promise of one account, unless its address must be confirmed first.
   * @returns the organization's first key. Undefined if there was nothing to do, another call did it at the same
   *   time, or the key could not be created: its owner then creates one
   */
  async keep(account: Account): Promise<MadeKey | undefined> {
    const { promised } = account
    if (promised === null || !this.#isDue(account)) return undefined
    await this.#ports.organizations.establish(promised.orgId, promised.name, account.id)
    if (!(await this.#clear(account.id, promised.orgId))) return undefined
    try {
      return await this.#ports.organizations.createKey(promised.orgId, { name: 'first key', grant: fullGrant })
    } catch (err) {
      // The organization exists without a key: its owner can create one on the page of keys.
      this.#ports.log.warn({ err, orgId: promised.orgId }, 'the first key of an organization could not be made')
      return undefined
    }
  }

  /**
   * Keeps the promises of sign-ups that a crash interrupted, and removes accounts with addresses that were not
   * confirmed.
   */
  async finish(): Promise<void> {
    const { accounts, clock, log } = this.#ports
    const now = clock.now()
    for (const account of await accounts.withPromise(now - CUT_OFF_AFTER_MS)) {
      // Thousands may be removed in one minute, by calls that do not wait. Requests get their turn in between.
      await setImmediate()
      try {
        if (this.#isDue(account)) await this.keep(account)
        else if (account.createdAt <= now - CONFIRM_WITHIN_MS) await accounts.remove(account.id)
      } catch (err) {
        // The promise remains, and is kept a minute later.
        log.warn({ err, orgId: account.promised?.orgId }, 'a sign-up could not be finished')
      }
    }
  }

  #isDue({ verifiedAt }: Account): boolean {
    return verifiedAt !== null || !this.#ports.mails.isSet
  }

  /**
   * Clears the promise and makes the account the owner of the organization, in one change.
   * @returns whether this call did it
   */
  async #clear(accountId: string, orgId: string): Promise<boolean> {
    let isOurs = false
    await this.#ports.accounts.update(accountId, (account) => {
      isOurs = account.promised?.orgId === orgId
      if (!isOurs) return undefined
      const membership = { orgId, role: 'owner', since: this.#ports.clock.now() } as const
      return { ...account, promised: null, memberships: [...account.memberships, membership] }
    })
    return isOurs
  }
}
