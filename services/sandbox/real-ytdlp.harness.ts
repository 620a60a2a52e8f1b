import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Sandbox } from './sandbox.ts'

const PYTHON = '.venv/bin/python'
const SCRIPT = join(import.meta.dirname, 'real_ytdlp.py')
const MAX_OUTPUT = 64 * 1024 * 1024

/** The video to read, and what to read in addition to its information. */
export type YtdlpWish = {
  url: string
  /** Caption tracks to read: `subtitles` or `automatic_captions`, language, ext. */
  captions?: [kind: 'subtitles' | 'automatic_captions', language: string, ext: string][]
  /** Formats to download, to report their sizes. */
  formats?: string[]
}

// biome-ignore lint/suspicious/noExplicitAny: yt-dlp's own dictionary has no types
export type InfoDictionary = Record<string, any>

export type YtdlpOutcome =
  | { info: InfoDictionary; captions: string[]; formats: number[]; warnings: string[]; error?: undefined }
  | { error: string; warnings: string[]; info?: undefined }

/** Skips the tests of the calling suite, with the reason, if there is no yt-dlp. */
export function needYtdlp(): void {
  before(async function () {
    if (await promisify(execFile)(PYTHON, ['-c', 'import yt_dlp, curl_cffi']).catch(() => undefined)) return
    console.log(`      left out: ${PYTHON} has no yt-dlp: run ops/setup`)
    this.skip()
  })
}

/** Reads videos of a sandbox with the real yt-dlp, in one process, in order. */
export async function readWithYtdlp(
  { proxyUrl, caFile }: Pick<Sandbox, 'proxyUrl' | 'caFile'>,
  videos: readonly YtdlpWish[],
): Promise<YtdlpOutcome[]> {
  const running = promisify(execFile)(PYTHON, [SCRIPT], { maxBuffer: MAX_OUTPUT, timeout: 60_000 })
  running.child.stdin?.end(JSON.stringify({ proxyUrl, caFile, node: process.execPath, videos }))
  return JSON.parse((await running).stdout)
}
