import { type Organizations, UnknownOrganizationError } from '#packages/accounts/organizations/organizations.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Account, AuditEntry } from '#packages/ports/accounts.ts'
import type { AccountPorts } from './account-ports.ts'
import { PLAN_CHANGED } from './plan-requests.ts'

type Ports = Pick<AccountPorts, 'accounts' | 'clock' | 'ids'> & { organizations: Organizations }

/** `id`: a UUID from the form. */
export type Grant = { id: string; credits: number; reason: string }

export const AUDITS_OF_A_PAGE = 50

/**
 * The operators' actions in the dashboard. An entry of the audit trail is stored before the act, and the act's events
 * name the entry's id. So an act without an entry is impossible, and an entry without an act is an attempt.
 */
export class Operators {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** @throws ServiceError not_found for anyone else: these pages exist only for operators */
  assertOperator({ isOperator }: Account): void {
    if (!isOperator) throw new ServiceError('not_found', 'There is no such page.')
  }

  /**
   * Grants credits once for each `grant.id`: a form that is sent twice grants them once.
   * @param grant.reason why, for the trail
   * @throws ServiceError not_found; idempotency_conflict: a grant with this id was begun before
   */
  async grant(by: Account, orgId: string, { id, credits, reason }: Grant): Promise<Ledger> {
    const entry = await this.#record(by, 'grant', orgId, `credits: ${credits}; reason: ${reason}`, id)
    return this.#ports.organizations.grant(orgId, credits, entry).catch(unknown)
  }

  /** @throws ServiceError not_found */
  async changePlan(by: Account, orgId: string, plan: Plan): Promise<Ledger> {
    const entry = await this.#record(by, PLAN_CHANGED, orgId, `plan: ${plan}`)
    return this.#ports.organizations.changePlan(orgId, plan, entry).catch(unknown)
  }

  /** One page of the trail, newest first. @param question.before the `at` of the previous page's last entry */
  async audits(by: Account, question: { before?: number; orgId?: string } = {}): Promise<AuditEntry[]> {
    this.assertOperator(by)
    return this.#ports.accounts.audits({ ...question, limit: AUDITS_OF_A_PAGE })
  }

  async #record(
    by: Account,
    action: string,
    orgId: string,
    detail: string,
    id = this.#ports.ids.uuid(),
  ): Promise<string> {
    this.assertOperator(by)
    const { accounts, clock } = this.#ports
    if (!(await accounts.addAudit({ id, at: clock.now(), accountId: by.id, action, orgId, detail }))) throw repeated()
    return id
  }
}

const repeated = (): ServiceError =>
  new ServiceError(
    'idempotency_conflict',
    'This form was sent before. The ledger shows whether the credits were granted; to grant more, load the page again.',
  )

function unknown(error: unknown): never {
  if (error instanceof UnknownOrganizationError) throw new ServiceError('not_found', 'There is no such organization.')
  throw error
}
