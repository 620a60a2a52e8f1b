import { type Config, variables } from '#packages/foundation/config/config.ts'
import { needsOf, type PartName, seals } from './serve.ts'

/** The variables that these parts need in processes of their own and that are not set. */
export function missingEngines(config: Config, parts: readonly PartName[]): string[] {
  const needs = new Set(parts.flatMap((part) => needsOf[part]))
  const wanted = [
    'eventStoreUrl' as const,
    ...(needs.has('queue') ? ['kafkaBrokers' as const] : []),
    // Several processes seal and read the same secrets, so they need one key.
    ...(parts.some((part) => seals.includes(part)) ? ['secretsKey' as const] : []),
    ...(needs.has('views') || needs.has('counters') || needs.has('accounts') ? ['mongodbUrl' as const] : []),
  ]
  return wanted.filter((name) => config[name] === undefined).map((name) => variables[name].variable)
}
