import { fork } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'

export type VacuumOutcome =
  | { kind: 'vacuumed'; bytesBefore: number; bytesAfter: number; seconds: number }
  /** Nothing was removed since the last time, or there is no file. */
  | { kind: 'not-needed' }
  /** The file is unchanged, and still needs a VACUUM. */
  | { kind: 'left'; why: string }

/**
 * Rewrites an SQLite file by VACUUM if rows were removed since the last time. `secure_delete` overwrites a row where it
 * is deleted. But if SQLite had moved the row to another page before, a copy stays behind in unused bytes, and only
 * VACUUM removes that. Readers continue meanwhile; writers wait.
 * It runs in its own process, because the place of SQLite's temporary file is an environment variable that a process
 * reads only once. That file lies beside the database, because a container has too little room elsewhere.
 * @param maxBytes a larger file is skipped
 */
export async function vacuum(path: string, maxBytes = Infinity, signal?: AbortSignal): Promise<VacuumOutcome> {
  const child = fork(new URL('./vacuum-process.ts', import.meta.url), [path, `${maxBytes}`], {
    execArgv: [],
    env: { SQLITE_TMPDIR: dirname(path) },
    // Killing the process does no harm to the file.
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
