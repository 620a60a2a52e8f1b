import { type Plan, plans } from '#packages/domain/credits/plans.ts'
import type { Account, AuditEntry } from '#packages/ports/accounts.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { mailTexts } from './mail-texts.ts'
import type { Mails } from './mails.ts'
import { PerMinute } from './per-minute.ts'

type Ports = Pick<AccountPorts, 'accounts' | 'clock' | 'ids' | 'counters'> & { mails: Mails }
type Options = Pick<AccountOptions, 'operatorEmail' | 'dashboardUrl'>

/** A request for a plan that no operator has answered. `accountId`: the requesting account. */
export type PlanRequest = { orgId: string; plan: Plan; at: number; accountId: string }

/** The audit trail's names for a request and a change of the plan. */
export const PLAN_ASKED = 'plan-asked'
export const PLAN_CHANGED = 'plan'

const ASKED_PER_MINUTE = 3

/** How many entries of the audit trail are read. Older requests are no longer shown. */
const LOOKED_AT = 200

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Members' requests for another plan, if plans cannot be bought. Each is an entry of the audit trail and a mail to
 * the operator. Any change of the plan answers it.
 */
export class PlanRequests {
  readonly #ports: Ports
  readonly #options: Options
  readonly #perOrganization: PerMinute

  constructor(ports: Ports, options: Options) {
    this.#ports = ports
    this.#options = options
    this.#perOrganization = new PerMinute(ports.counters, 'dashboard-plan-requests', ASKED_PER_MINUTE)
  }

  /** Makes one request: the same request within a day is not repeated. @throws ServiceError rate_limited */
  async ask(by: Account, { orgId, name }: { orgId: string; name: string }, plan: Plan): Promise<void> {
    const { accounts, clock, ids, mails } = this.#ports
    const open = await this.open(orgId)
    if (open?.plan === plan && clock.now() < open.at + DAY_MS) return
    await this.#perOrganization.assert(orgId)
    const entry = { id: ids.uuid(), at: clock.now(), accountId: by.id, action: PLAN_ASKED, orgId, detail: plan }
    await accounts.addAudit(entry)
    const { operatorEmail, dashboardUrl } = this.#options
    if (operatorEmail === undefined) return
    const link = `${dashboardUrl()}/operator/org/${orgId}`
    mails.send(mailTexts.planAsked(operatorEmail, { name, plan: plans[plan].name, email: by.email, link }))
  }

  /** The unanswered request of an organization. */
  async open(orgId: string): Promise<PlanRequest | undefined> {
    return openIn(await this.#ports.accounts.audits({ orgId, limit: LOOKED_AT }))[0]
  }

  /** The unanswered requests of all organizations, newest first. */
  async allOpen(): Promise<PlanRequest[]> {
    return openIn(await this.#ports.accounts.audits({ limit: LOOKED_AT }))
  }
}

/** Per organization: the newest entry about its plan, if that is a request. @param entries newest first */
function openIn(entries: readonly AuditEntry[]): PlanRequest[] {
  const newest = new Map<string, AuditEntry>()
  for (const entry of entries)
    if (entry.orgId !== null && [PLAN_ASKED, PLAN_CHANGED].includes(entry.action) && !newest.has(entry.orgId))
      newest.set(entry.orgId, entry)
  return [...newest].flatMap(([orgId, { action, detail, at, accountId }]) =>
    action === PLAN_ASKED ? [{ orgId, plan: detail as Plan, at, accountId }] : [],
  )
}
