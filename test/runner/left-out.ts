/** The requirement of a left-out test, and why this machine does not meet it. */
export type Lack = { needs: string; why: string }

/** The suite carries the reason itself, because the runner and a test file may each have a copy of this module. */
type Suite = Mocha.Suite & { lack?: Lack }

/**
 * Tests that need what this machine lacks. Each is reported as skipped; the report gives the reason once for all of
 * them.
 * @param body defines the tests; nothing inside of them runs
 */
export function leaveOut(lack: Lack, body: () => void): void {
  const suite = describe.skip('', body)
  if (suite) Object.assign(suite satisfies Suite, { lack })
}

/** Why a test was left out. Undefined if it was not, or was skipped for another reason. */
export function lackOf({ parent }: Mocha.Runnable): Lack | undefined {
  for (let suite: Suite | undefined = parent; suite !== undefined; suite = suite.parent)
    if (suite.lack !== undefined) return suite.lack
  return undefined
}
