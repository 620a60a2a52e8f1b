/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { OwnKey } from '#packages/accounts/keys/keys.ts'
import { hasAllScopes, type KeyGrant, type Scope } from '#packages/domain/key/grant.ts'
import { formatNumber } from '../../look/parts.tsx'

/** What each scope allows. */
export const scopeWords: Record<Scope, { name: string; hint: string }> = {
  read: { name: 'Read', hint: 'Metadata, searches, profiles, results, usage' },
  jobs: { name: 'Run jobs', hint: 'Start and cancel transcripts and extractions, which use credits' },
  keys: { name: 'Manage keys', hint: 'Create and revoke keys' },
  webhooks: { name: 'Manage webhooks', hint: 'Endpoints and deliveries' },
}

export const scopesOf = (grant: KeyGrant): string =>
  hasAllScopes(grant) ? 'Everything' : (grant.scopes ?? []).map((scope) => scopeWords[scope].name).join(', ')

/** @param spent credits; undefined: unknown right now */
export function capOf({ monthlyCredits }: KeyGrant, spent: number | undefined): string {
  const used = spent === undefined ? '–' : formatNumber(spent)
  return monthlyCredits === null ? `${used}, no cap` : `${used} of ${formatNumber(monthlyCredits)}`
}

/** The characters of a key that let its owner recognize it. */
export const Marks = ({ of: { prefix, suffix } }: { of: Pick<OwnKey, 'prefix' | 'suffix'> }): VNode => (
  <code class="nowrap">{`${prefix}…${suffix}`}</code>
)
