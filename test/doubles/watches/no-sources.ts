import type { WatchesOptions } from '#services/host/components.ts'
import { ingressDefaults } from '#services/ingress/options.ts'

/** For tests without watches. */
export const noSources: WatchesOptions = {
  acceptance: ingressDefaults,
  readSource: async () => ({ items: [], next: null }),
  dateOf: async () => null,
  seenAt: async () => null,
}
