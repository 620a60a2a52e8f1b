import { type Family, variableOf } from '#ops/local-engines/local-engines.ts'

const needs: Readonly<Record<Family, string>> = { kafka: 'Kafka', mongodb: 'MongoDB', eventstoredb: 'EventStoreDB' }

/**
 * Tests that need a real server, or what stands in for it. `npm test` starts one where this machine can; by themselves
 * they use the one its variable leads to: `eval "$(ops/engines env)"`.
 * @param body takes the value of the variable
 */
export function describeOn(family: Family, body: (url: string) => void): void {
  const variable = variableOf[family]
  const url = process.env[variable]
  if (url) body(url)
  else it.skip(`needs ${needs[family]}, and ${variable} is not set`)
}
