/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { DashboardOptions } from '../options.ts'
import { OutLink } from './parts.tsx'

/** How to get more credits. It stands wherever a page says that they run out. */
export function CreditsHint({
  upgradeUrl,
  operatorEmail,
}: Pick<DashboardOptions, 'upgradeUrl' | 'operatorEmail'>): VNode {
  if (upgradeUrl !== undefined) return <OutLink href={upgradeUrl}>Get more credits</OutLink>
  if (operatorEmail === undefined) return <span>For more credits, ask whoever runs this service.</span>
  return (
    <span>
      For more credits, write to <a href={`mailto:${operatorEmail}`}>{operatorEmail}</a>.
    </span>
  )
}
