import type { IngressOptions } from '#services/ingress/options.ts'

const UNLIMITED = 1_000_000_000

/** Rate limits that no load reaches. Requests are still counted. */
export const unlimited: Partial<IngressOptions> = {
  anonymousPerMinute: UNLIMITED,
  rates: { light: UNLIMITED, polls: UNLIMITED, heavy: { free: UNLIMITED, starter: UNLIMITED, pro: UNLIMITED } },
}
