import type { Ledger } from '#packages/domain/credits/ledger.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { type Organizations, UnknownOrganizationError } from '#packages/organizations/organizations.ts'
import type { Account, Accounts, AuditEntry } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Ids } from '#packages/ports/ids.ts'

type Ports = { accounts: Accounts; organizations: Organizations; clock: Clock; ids: Ids }

export type ListedOrganization = { orgId: string; name: string; ledger: Ledger }

const AUDITS_OF_A_PAGE = 50

/**
 * What operators do in the dashboard. An entry of the audit trail is stored before the act, and its id is the cause that
 * the act's events name: an act without an entry is not possible, an entry without an act is an attempt.
 */
export class Operators {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** @throws ServiceError not_found: to others these pages are not there */
  assertOperator({ isOperator }: Account): void {
    if (!isOperator) throw new ServiceError('not_found', 'There is no such page.')
  }

  /** @throws ServiceError not_found */
  async grant(by: Account, orgId: string, credits: number): Promise<Ledger> {
    const cause = await this.#record(by, 'grant', orgId, `credits: ${credits}`)
    return this.#ports.organizations.grant(orgId, credits, cause).catch(unknown)
  }

  /** @throws ServiceError not_found */
  async changePlan(by: Account, orgId: string, plan: Plan): Promise<Ledger> {
    const cause = await this.#record(by, 'plan', orgId, `plan: ${plan}`)
    return this.#ports.organizations.changePlan(orgId, plan, cause).catch(unknown)
  }

  /**
   * The organizations whose name or id has the text in it, oldest first, from their streams.
   * @throws ServiceError not_found
   */
  async organizations(
    by: Account,
    { search = '', limit }: { search?: string; limit: number },
  ): Promise<ListedOrganization[]> {
    this.assertOperator(by)
    const wanted = search.trim().toLowerCase()
    const found: ListedOrganization[] = []
    for await (const listed of this.#ports.organizations.list()) {
      if (!`${listed.name} ${listed.orgId}`.toLowerCase().includes(wanted)) continue
      if (found.push(listed) >= limit) break
    }
    return found
  }

  /** One page of the trail, newest first. @param question.before the `at` of the last entry of the page before */
  async audits(by: Account, question: { before?: number; orgId?: string } = {}): Promise<AuditEntry[]> {
    this.assertOperator(by)
    return this.#ports.accounts.audits({ ...question, limit: AUDITS_OF_A_PAGE })
  }

  async #record(by: Account, action: string, orgId: string, detail: string): Promise<string> {
    this.assertOperator(by)
    const { accounts, clock, ids } = this.#ports
    const id = ids.uuid()
    await accounts.addAudit({ id, at: clock.now(), accountId: by.id, action, orgId, detail })
    return id
  }
}

function unknown(error: unknown): never {
  if (error instanceof UnknownOrganizationError) throw new ServiceError('not_found', 'There is no such organization.')
  throw error
}
