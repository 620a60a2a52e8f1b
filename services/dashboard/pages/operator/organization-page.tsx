/** @jsxRuntime automatic @jsxImportSource preact */

import type { VNode } from 'preact'
import type { Credits, CreditsTransaction } from '#contracts/generated/http.ts'
import type { Member } from '#packages/accounts/people/members.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import type { AuditEntry } from '#packages/ports/accounts.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { Missing, type OrMissing } from '../../look/missing.tsx'
import { Facts, Field, FormProblem, formatNumber, type Problems, Select, Time } from '../../look/parts.tsx'
import { Table } from '../../look/table.tsx'
import { ONCE } from '../../once.ts'
import { LedgerLines } from '../usage/ledger-lines.tsx'
import { AuditTable } from './audit-page.tsx'
import { OperatorFrame } from './operator-frame.tsx'

export type OrganizationFacts = {
  orgId: string
  name: string
  /** ISO 8601. */
  registeredAt: string
  credits: OrMissing<Credits>
  /** Keys that are not revoked. */
  keys: OrMissing<number>
  lines: OrMissing<readonly CreditsTransaction[]>
  members: readonly Member[]
  /** What operators did to it, newest first, and who they are, by account. */
  audits: readonly AuditEntry[]
  emails: ReadonlyMap<string, string>
}

type Parts = {
  root: string
  facts: OrganizationFacts
  /** An id that is new each time the forms are shown. */
  once: string
  form: URLSearchParams
  problems: Problems
}

/** One organization, as operators see it: credits and people, but nothing from its jobs. */
export function OrganizationPage({ root, facts, once, form, problems }: Parts): VNode {
  const { orgId, name, credits, lines, members, audits, emails } = facts
  const base = `${root}/operator/org/${orgId}`
  return (
    <OperatorFrame root={root} current="organizations" title={name}>
      <section class="card">
        <h2>Details</h2>
        <Details facts={facts} />
      </section>
      <div class="grid">
        <section class="card">
          <h2>Grant credits</h2>
          <FormProblem problems={problems} />
          <form method="post" action={`${base}/credits`}>
            <input type="hidden" name={ONCE} value={once} />
            <Field
              name="credits"
              label="Credits"
              type="number"
              value={form.get('credits') ?? ''}
              problems={problems}
              required
            />
            <Field
              name="reason"
              label="Reason"
              value={form.get('reason') ?? ''}
              hint="For the audit trail. Not shown to the organization."
              problems={problems}
              required
              maxLength={200}
            />
            <button type="submit">Grant</button>
          </form>
        </section>
        <section class="card">
          <h2>Plan</h2>
          {credits.missing ? (
            <Missing what="The plan" />
          ) : (
            <form method="post" action={`${base}/plan`}>
              <Select name="plan" label="Plan" value={credits.value.plan} options={planOptions} />
              <button type="submit">Change plan</button>
            </form>
          )}
        </section>
      </div>
      <h2>Ledger</h2>
      {lines.missing ? <Missing what="The ledger" /> : <LedgerLines lines={lines.value} />}
      <h2>Members</h2>
      {members.length === 0 ? (
        <p class="quiet">No members: it was created without a sign-up.</p>
      ) : (
        <Members members={members} />
      )}
      <h2>Operator activity</h2>
      {audits.length === 0 ? (
        <p class="quiet">Nothing yet.</p>
      ) : (
        <AuditTable root={root} audits={audits} emails={emails} names={new Map([[orgId, name]])} />
      )}
    </OperatorFrame>
  )
}

const planOptions = Object.entries(plans).map(
  ([plan, { monthlyCredits }]) => [plan, `${plan}: ${formatNumber(monthlyCredits)} credits a month`] as const,
)

const Details = ({ facts: { orgId, registeredAt, credits, keys, members } }: { facts: OrganizationFacts }): VNode => (
  <Facts
    facts={{
      Id: <code>{orgId}</code>,
      Registered: <Time at={registeredAt} />,
      ...(!credits.missing && creditsFacts(credits.value)),
      Keys: keys.missing ? 'not known right now' : formatNumber(keys.value),
      Members: formatNumber(members.length),
    }}
  />
)

const creditsFacts = ({ available, held, renewal }: Credits) => ({
  Available: formatNumber(available),
  Held: formatNumber(held),
  Renewal:
    renewal === null ? (
      'none'
    ) : (
      <>
        {`${formatNumber(renewal.credits)} on `}
        <Time at={renewal.at} />
      </>
    ),
})

const Members = ({ members }: { members: readonly Member[] }): VNode => (
  <Table
    label="Members"
    caption="Members, in the order in which they joined"
    rows={members}
    keyOf={({ accountId }) => accountId}
    columns={{
      'E-mail': ({ email }) => email,
      Role: ({ role }) => role,
      Since: ({ since }) => <Time at={isoOf(since)} />,
    }}
  />
)
