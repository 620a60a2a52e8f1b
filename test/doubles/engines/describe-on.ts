import { type Family, variableOf } from '#ops/local-engines/local-engines.ts'
import { leaveOut } from '#test/runner/left-out.ts'

export const nameOf: Readonly<Record<Family, string>> = {
  kafka: 'Kafka',
  mongodb: 'MongoDB',
  eventstoredb: 'EventStoreDB',
}

/** The variable in which `npm test` gives the reason why it could not start a server. */
export const whyAbsent = (family: Family): string => `${variableOf[family]}_ABSENT`

/**
 * Tests that need a real server or its stand-in. `npm test` starts one if this machine can. A test file run by itself
 * uses the server that its variable names: `eval "$(ops/engines env)"`. Without a server the tests are left out.
 * @param body takes the value of the variable
 */
export function describeOn(family: Family, body: (url: string) => void): void {
  const variable = variableOf[family]
  const url = process.env[variable]
  if (url) {
    body(url)
    return
  }
  const why = process.env[whyAbsent(family)] ?? `${variable} is not set`
  leaveOut({ needs: nameOf[family], why }, () => body('absent'))
}
