import { fileURLToPath } from 'node:url'
import type { Outside } from '../../service/sandboxed-service.ts'
import { installRival, rivalEnvironment, rivalFolder, startLineProcess } from '../python-rival.ts'

const folder = rivalFolder('captions')
const script = fileURLToPath(new URL('./contestant.py', import.meta.url))

export type TranscriptApi = AsyncDisposable & {
  /** Reads the captions of a video. @returns how long it took, milliseconds */
  read(id: string): Promise<number>
}

/** Starts youtube-transcript-api in a process of its own, with one session for all videos. */
export async function startTranscriptApi({ proxyUrl, caFile }: Outside): Promise<TranscriptApi> {
  await installRival(folder, 'requirements-captions.txt')
  const contestant = startLineProcess('youtube-transcript-api', [script, proxyUrl, caFile], rivalEnvironment(folder))
  return {
    async read(id) {
      const { milliseconds, lines } = (await contestant.ask(id)) as { milliseconds: number; lines: number }
      if (lines === 0) throw new Error('youtube-transcript-api has read nothing')
      return milliseconds
    },
    [Symbol.asyncDispose]: () => contestant[Symbol.asyncDispose](),
  }
}
