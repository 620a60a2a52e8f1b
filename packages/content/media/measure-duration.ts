import { StepError } from '#packages/foundation/errors/step-error.ts'
import { ffmpeg } from './ffmpeg.ts'
import type { Launcher } from './launcher.ts'
import { unreadable } from './unreadable.ts'

/**
 * The length of a file that does not state it (live WebM, raw AAC, MP3), in seconds. Reads every packet and decodes
 * none. Stops reading one second past `maxSeconds`.
 * @throws StepError `media_unsupported` if it holds no packets, transient `internal_error` if it took too long
 */
export async function measureDuration(
  path: string,
  {
    maxSeconds,
    ...run
  }: { launcher: Launcher; maxSeconds: number; cwd: string; signal: AbortSignal; timeoutMs: number },
): Promise<number> {
  const streams = ['-map', '0:a?', '-map', '0:v?', '-c', 'copy']
  const report = ['-progress', 'pipe:1', '-f', 'null', '-']
  const args = ['-i', path, '-t', String(maxSeconds + 1), ...streams, ...report]
  try {
    const { stdout } = await ffmpeg({ ...run, args, maxOutputBytes: 4 * 1024 * 1024 })
    const times = [...stdout.toString('utf8').matchAll(/^out_time_us=(\d+)$/gm)]
    const seconds = Number(times.at(-1)?.[1] ?? 0) / 1e6
    if (seconds > 0) return seconds
  } catch (error) {
    throw unreadable(error)
  }
  throw new StepError('media_unsupported')
}
