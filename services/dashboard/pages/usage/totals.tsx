/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { UsageGroup } from '#contracts/generated/http.ts'
import { UNKNOWN } from '#packages/events/views/usage.ts'
import { formatNumber, TableHead } from '../../look/parts.tsx'
import { platformLabels } from '../jobs/job-words.tsx'

/** The most groups in one table, because an organization may have had many keys. */
export const MAX_ROWS = 12

type Parts = { title: string; groups: readonly UsageGroup[]; nameOf: (group: UsageGroup) => string }

/** The cost of each group of one kind, the highest first. */
export const Totals = ({ title, groups, nameOf }: Parts): VNode => (
  <section class="card">
    <h2>{title}</h2>
    <table class="numbers">
      <caption class="hidden">{`Jobs and credits charged, ${title.toLowerCase()}`}</caption>
      <TableHead columns={['Name', 'Jobs', 'Credits']} />
      <tbody>
        {groups.slice(0, MAX_ROWS).map((group) => (
          <tr key={group.group}>
            <td class="name">{nameOf(group)}</td>
            <td>{formatNumber(group.jobs)}</td>
            <td>{formatNumber(group.creditsCharged)}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {groups.length > MAX_ROWS && <p class="quiet small">{`And ${groups.length - MAX_ROWS} more, with lower cost.`}</p>}
  </section>
)

export const platformName = ({ group }: UsageGroup): string => platformLabels.get(group) ?? 'Unknown'

export type KeyNames = ReadonlyMap<string, { name: string; isRevoked: boolean }>

/** Jobs from the dashboard have no key. */
export function keyName(keyId: string, names: KeyNames): string {
  if (keyId === UNKNOWN) return 'Dashboard or unknown'
  const known = names.get(keyId)
  if (known === undefined) return `Key ${keyId.slice(0, 8)}`
  return known.isRevoked ? `${known.name} (revoked)` : known.name
}
