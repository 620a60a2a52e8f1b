import { Child } from '../../kit/child.ts'
import type { Bench } from '../../part.ts'
import { type SpeechRival, startRival } from '../../rivals/speech/speech-rival.ts'
import type { Heard, Hearing } from '../../service/speech-engine-process.ts'

const engineProcess = new URL('../../service/speech-engine-process.ts', import.meta.url)

/** Our engine, in a process of its own. */
export async function startOurs(bench: Bench, engine: string) {
  const child = new Child(engineProcess, { directory: bench.directory })
  await child.call('open', { engine })
  return {
    hear: (path: string, organization?: string) =>
      child.call<Heard>('hear', { path, ...(organization && { organization }) } satisfies Hearing),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

/** The limit for ours as a multiple of the rival's, and the errors that ours may have more, in points. */
type Limits = { cpu?: number; morePoints?: number }

export type Contestant = {
  label: string
  start(bench: Bench): Promise<SpeechRival>
  /** The limits for ours beside this rival. */
  limits?: Limits
}

export const ours: Contestant = { label: 'Whisper base here', start: (bench) => startOurs(bench, 'whisper') }

const plain = (vad: '' | '-vad', threads: number) => async () => startRival(`faster-whisper${vad}`, threads)

export const rivals: readonly Contestant[] = [
  {
    label: 'faster-whisper, int8, cpu_threads=1',
    start: plain('', 1),
    limits: { cpu: 1.15, morePoints: 1.5 },
  },
  { label: 'faster-whisper, int8, cpu_threads=1, vad_filter', start: plain('-vad', 1) },
  { label: 'faster-whisper, int8, cpu_threads=2', start: plain('', 2) },
  {
    label: 'whisper.cpp, float16, 1 thread',
    start: async () => startRival('whisper.cpp', 1),
    limits: { cpu: 0.7 },
  },
  { label: 'pocketsphinx here', start: (bench) => startOurs(bench, 'pocketsphinx') },
]
