import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Engines } from '#services/host/engines.ts'
import { openTelemetry } from '#services/host/open-telemetry.ts'
import { tracedEngines } from '#services/host/traced-engines.ts'

/** The OpenTelemetry variables of a process under test. None: nothing is exported. */
export type TelemetryVariables = Record<string, string>

/** Telemetry with these variables, and engines that it measures. */
export async function openTraced<E extends Pick<Engines, 'store' | 'views' | 'queue'>>(
  engines: E,
  variables: TelemetryVariables,
  log: Logger,
) {
  // The SDK reads them by itself.
  Object.assign(process.env, variables)
  const config = readConfig(variables)
  const telemetry = await openTelemetry(config, { service: 'bench', log, gaveUp: () => {} })
  return { telemetry, ...tracedEngines(engines, { config, telemetry, clock }) }
}
