import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Sandbox } from './sandbox.ts'

const PYTHON = '.venv/bin/python'
const SCRIPT = join(import.meta.dirname, 'real_ytdlp.py')
const MAX_OUTPUT = 64 * 1024 * 1024

/** What to read of a video besides its information. */
export type YtdlpWish = {
  url: string
  /** Texts of caption tracks: `subtitles` or `automatic_captions`, language, ext. */
  captions?: [kind: 'subtitles' | 'automatic_captions', language: string, ext: string][]
  /** Sizes of formats, downloaded. */
  formats?: string[]
  /** The user name given to the sandbox's proxy; each has a yt-dlp of its own. */
  exit?: string
}

// biome-ignore lint/suspicious/noExplicitAny: yt-dlp's own dictionary, whatever it is
export type InfoDictionary = Record<string, any>

export type YtdlpOutcome =
  | { info: InfoDictionary; captions: string[]; formats: number[]; warnings: string[]; error?: undefined }
  | { error: string; warnings: string[]; info?: undefined }

/** Leaves the tests of the suite that calls this out, saying why, where there is no yt-dlp. */
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
