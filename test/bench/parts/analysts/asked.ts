import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { scriptArguments } from '#test/doubles/script-arguments.ts'
import { cpuSeconds } from '../../kit/cpu-time.ts'
import { peakBytes } from '../../kit/peak-memory.ts'

const project = fileURLToPath(new URL('../../../../', import.meta.url))

/** How often a process's memory is read, milliseconds. The kernel keeps its peak. */
const LOOK_EVERY_MS = 20

/** `npm run history`, as its script starts it. */
export const historyCommand = (words: readonly string[]): string[] => [...scriptArguments('history'), ...words]

export type Used = { seconds: number; cpuSeconds: number; peakBytes: number }

function start(command: readonly string[], dataDir: string): ChildProcess {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  return spawn(process.execPath, command, { env, cwd: project, stdio: ['pipe', 'pipe', 'ignore'] })
}

/** Waits for the end of a process, and reads its memory meanwhile. */
async function peakAtEnd(child: ChildProcess): Promise<number> {
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, peakBytes(child.pid ?? 0))
  }, LOOK_EVERY_MS)
  const [code] = await once(child, 'close').finally(() => clearInterval(look))
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${code}`)
  return peak
}

/** Runs a command from its start to its end, with this text as its whole input. */
export async function used(command: readonly string[], dataDir: string, input = ''): Promise<Used> {
  const [from, before] = [performance.now(), cpuSeconds([process.pid])]
  const child = start(command, dataDir)
  child.stdout?.resume()
  child.stdin?.end(input)
  const peak = await peakAtEnd(child)
  // The kernel has added the time of the ended child to ours.
  return { seconds: (performance.now() - from) / 1000, cpuSeconds: cpuSeconds([process.pid]) - before, peakBytes: peak }
}

/**
 * Asks questions with one row each as the answer, one after the other. @returns how long each answer took, seconds, and
 * the peak memory
 */
export async function asked(command: readonly string[], dataDir: string, questions: readonly string[]) {
  const child = start(command, dataDir)
  const ended = peakAtEnd(child)
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const seconds: number[] = []
  for (const question of questions) {
    const from = performance.now()
    child.stdin?.write(`${question};\n`)
    const { done } = await lines.next()
    if (done) throw new Error(`there is no answer to ${question}`)
    seconds.push((performance.now() - from) / 1000)
  }
  child.stdin?.end()
  return { seconds, peakBytes: await ended }
}
