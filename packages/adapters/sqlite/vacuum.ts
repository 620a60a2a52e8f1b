import { fork } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'

export type VacuumOutcome =
  | { kind: 'vacuumed'; bytesBefore: number; bytesAfter: number; seconds: number }
  /** Nothing was removed since the last time, or there is no file. */
  | { kind: 'not-needed' }
  /** It is left as it is, and still needs it. */
  | { kind: 'left'; why: string }

/**
 * Writes a file of SQLite anew by VACUUM, where rows were removed since it was last done. `secure_delete` overwrites a row
 * where it is deleted, but where SQLite had moved it to another page before, a copy stays behind in unused bytes. Only
 * VACUUM removes that. Readers go on meanwhile; writers wait.
 *
 * It runs in a process of its own: the place of SQLite's temporary file is a variable of the environment, read once for a
 * process. It lies beside the file, because a container has too little room elsewhere.
 * @param maxBytes a larger file is left
 */
export async function vacuum(path: string, maxBytes = Infinity, signal?: AbortSignal): Promise<VacuumOutcome> {
  const child = fork(new URL('./vacuum-process.ts', import.meta.url), [path, `${maxBytes}`], {
    execArgv: [],
    env: { SQLITE_TMPDIR: dirname(path) },
    // It does no harm to the file.
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  })
  let outcome: VacuumOutcome | undefined
  child.on('message', (message: VacuumOutcome) => {
    outcome = message
  })
  const [code] = await once(child, 'close')
  return outcome ?? { kind: 'left', why: `the VACUUM ended early, with exit status ${code}` }
}
