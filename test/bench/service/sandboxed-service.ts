import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { unpaced } from '#packages/foundation/config/config.ts'
import { BackDoor } from '#test/doubles/service/back-door.ts'
import { Service } from '#test/doubles/service/service.ts'

/** The variables that lead to the process with the sandbox. */
export type Outside = { proxyUrl: string; caFile: string }

export const sandboxProcess = new URL('./sandbox-process.ts', import.meta.url)

const PYTHON = '.venv/bin/python'
const ORGANIZATIONS = 4

/** A service that reaches the sandbox, and has no rate limits. */
export const startService = (
  { proxyUrl, caFile }: Outside,
  env: Readonly<Record<string, string>> = {},
): Promise<Service> =>
  Service.start({
    env: {
      EGRESS_PROXY: proxyUrl,
      EGRESS_CA_FILE: caFile,
      ...unpaced(),
      RATE_LIGHT_PER_MINUTE: '10000000',
      RATE_POLLS_PER_MINUTE: '10000000',
      RATE_HEAVY_FACTOR: '10000',
      LOG_LEVEL: 'error',
      ...env,
    },
  })

/** Keys of new organizations. */
export async function keysOf(service: Service): Promise<string[]> {
  await using backDoor = await BackDoor.open(service)
  const made = Array.from({ length: ORGANIZATIONS }, () => backDoor.organization({ plan: 'pro' }))
  return (await Promise.all(made)).map(({ key }) => key)
}

/** Videos that were not requested before. */
export function unknownVideos(): () => string {
  let next = 0
  return () => `https://www.youtube.com/watch?v=bench${String(next++).padStart(6, '0')}`
}

/** Runs yt-dlp as a script would: a process of its own, with its cache of player code on disk. */
export async function runYtdlp({ proxyUrl, caFile }: Outside, cache: string, words: readonly string[]): Promise<void> {
  const trust = { SSL_CERT_FILE: caFile, CURL_CA_BUNDLE: caFile, REQUESTS_CA_BUNDLE: caFile }
  const always = ['-m', 'yt_dlp', '--ignore-config', '--no-playlist', '--compat-options', 'no-certifi']
  const places = ['--proxy', proxyUrl, '--cache-dir', cache, '--js-runtimes', `node:${process.execPath}`]
  const env = { ...process.env, ...trust }
  await promisify(execFile)(PYTHON, [...always, ...places, ...words], {
    env,
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  })
}
