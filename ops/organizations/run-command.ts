import { printableLines } from '#packages/foundation/printable/printable.ts'

/** The command line holds no valid command. */
export class UsageError extends Error {
  readonly code = 'usage'
}

/** Runs `npm run NAME`. Prints an error; if the words are wrong, also where to find the right ones. */
export async function runCommand(name: string, main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    console.error(printableLines(error instanceof Error ? error.message : String(error)))
    // The parser of options throws a TypeError.
    if (error instanceof TypeError || error instanceof UsageError)
      console.error(`npm run ${name} -- --help tells what it takes`)
    process.exitCode = 1
  }
}
