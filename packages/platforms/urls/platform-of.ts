import { hostOf } from '#packages/egress/refusal.ts'
import { platformAt, type SocialPlatform } from '../registry.ts'

/** The platform of a URL in its canonical spelling. */
export function platformOf(canonical: string): SocialPlatform | 'direct' {
  const url = URL.parse(canonical)
  return (url === null ? undefined : platformAt(hostOf(url)))?.name ?? 'direct'
}
