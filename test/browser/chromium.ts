import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { leaveOut } from '#test/runner/left-out.ts'

const isCommand = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // Not here: the next folder may have it.
  }
}

/** Debian's Chromium, which `ops/setup --dev` installs. Undefined if there is none. */
export const chromiumPath = (): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find(isCommand)

/** Tests that need Chromium: left out if there is none. */
export function withChromium(body: () => void): void {
  if (chromiumPath() !== undefined) body()
  else leaveOut({ needs: 'Chromium', why: 'it is not installed: ops/setup --dev installs it' }, body)
}
