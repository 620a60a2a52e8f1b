import { onPath } from '#ops/local-engines/server-program.ts'
import { leaveOut } from '#test/runner/left-out.ts'

/** Debian's Chromium, which `ops/setup --dev` installs. Undefined if there is none. */
export const chromiumPath = (): string | undefined => onPath(['chromium'], process.env.PATH ?? '')

/** Tests that need Chromium: left out if there is none. */
export function withChromium(body: () => void): void {
  if (chromiumPath() !== undefined) body()
  else leaveOut({ needs: 'Chromium', why: 'it is not installed: ops/setup --dev installs it' }, body)
}
