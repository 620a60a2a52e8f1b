import { platformNames } from '#packages/platforms/registry.ts'

/** Variables of a service that reads the sandbox through EGRESS_PROXY, as fast as it can. `--sandbox` does so by itself. */
export const unpaced: Readonly<Record<string, string>> = Object.fromEntries(
  platformNames.map((name) => [`PACE_${name.toUpperCase()}`, '0']),
)
