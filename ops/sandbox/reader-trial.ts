import { mkdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Exit } from '#packages/egress/exits.ts'
import { createReader } from '#packages/platforms/ytdlp/create-reader.ts'
import type { Reader, ReaderWish } from '#packages/platforms/ytdlp/reader.ts'
import { instantClock, keptLog, python } from '#test/doubles/speech/setting.ts'
import type { CatalogueVideo } from './catalogue.ts'
import type { Sandbox } from './sandbox.ts'

const node = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url))

/** Our own reader, let loose on a sandbox. */
export type ReaderTrial = AsyncDisposable & {
  reader: Reader
  /** Lines of its log. */
  lines: string[]
  wishFor(video: Pick<CatalogueVideo, 'url' | 'platform'>): ReaderWish
  /** Downloads a format of a video. */
  media(video: Pick<CatalogueVideo, 'url' | 'platform'>, formatId: string): Promise<Buffer>
}

export async function tryReader({ proxyUrl, caFile }: Pick<Sandbox, 'proxyUrl' | 'caFile'>): Promise<ReaderTrial> {
  const directory = await mkdtemp(join(tmpdir(), 'reader-trial-'))
  const own = join(directory, 'reader')
  mkdirSync(own)
  const { log, lines } = keptLog()
  const reader = createReader({ python, node, directory: own, clock: instantClock(), log, caFile, maxWorkers: 1 })
  const exit = { address: 'sandbox', egress: undefined as unknown as Exit['egress'], proxyUrl }
  const wishFor: ReaderTrial['wishFor'] = ({ url: canonicalUrl, platform }) => ({
    canonicalUrl,
    platform,
    exit,
    signal: AbortSignal.timeout(30_000),
  })
  return {
    reader,
    lines,
    wishFor,
    async media(video, formatId) {
      const path = join(directory, 'media')
      await reader.media(wishFor(video), { formatId, path, maxBytes: 10_000_000, reserve: async () => {} })
      return readFile(path)
    },
    async [Symbol.asyncDispose]() {
      await reader[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
