/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { PLAN_ASKED, PLAN_CHANGED } from '#packages/accounts/people/plan-requests.ts'
import type { Accounts, AuditEntry } from '#packages/ports/accounts.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { Empty, Time } from '../../look/parts.tsx'
import { Table } from '../../look/table.tsx'
import { OperatorFrame } from './operator-frame.tsx'

/** The e-mail addresses of the operators in these entries, by account. Deleted accounts have none. */
export async function emailsOf(
  accounts: Pick<Accounts, 'get'>,
  audits: readonly AuditEntry[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(audits.map(({ accountId }) => accountId))]
  const found = await Promise.all(ids.map((id) => accounts.get(id)))
  return new Map(found.flatMap((account) => (account === undefined ? [] : [[account.id, account.email] as const])))
}

const actionWords: Readonly<Record<string, string>> = {
  grant: 'Granted credits',
  [PLAN_CHANGED]: 'Changed the plan',
  [PLAN_ASKED]: 'Requested a plan',
}

type TableParts = {
  root: string
  audits: readonly AuditEntry[]
  emails: ReadonlyMap<string, string>
  /** The names of organizations, by id. */
  names: ReadonlyMap<string, string>
}

export const AuditTable = ({ root, audits, emails, names }: TableParts): VNode => (
  <Table
    label="Audit trail"
    caption="Operator activity and plan requests, newest first"
    rows={audits}
    keyOf={({ id }) => id}
    columns={{
      When: ({ at }) => <Time at={isoOf(at)} />,
      Who: ({ accountId }) => emails.get(accountId) ?? 'a deleted account',
      What: ({ action }) => actionWords[action] ?? action,
      Organization: ({ orgId }) =>
        orgId === null ? '–' : <a href={`${root}/operator/org/${orgId}`}>{names.get(orgId) ?? orgId}</a>,
      Detail: ({ detail }) => detail,
    }}
  />
)

/** `next`: the cursor of older entries. */
type Parts = TableParts & { next: string | undefined }

export const AuditPage = ({ next, ...table }: Parts): VNode => (
  <OperatorFrame root={table.root} current="audit" title="Audit trail">
    {table.audits.length === 0 ? (
      <Empty title="Nothing yet">
        <p>Grants and plan changes made on these pages are recorded here before they take effect.</p>
      </Empty>
    ) : (
      <AuditTable {...table} />
    )}
    {next !== undefined && (
      <p>
        <a class="button" href={next}>
          Older entries
        </a>
      </p>
    )}
  </OperatorFrame>
)
