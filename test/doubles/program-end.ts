import { type ExecFileOptions, execFile } from 'node:child_process'

/** How a program has ended: its exit status and what it printed. Never rejects. */
export const endOfProgram = (
  program: string,
  words: readonly string[],
  options: ExecFileOptions = {},
): Promise<{ status: number; said: string }> =>
  new Promise((resolve) =>
    execFile(program, words, options, (error, stdout, stderr) =>
      resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, said: `${stdout}${stderr}` }),
    ),
  )
