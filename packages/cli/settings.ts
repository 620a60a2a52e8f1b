import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from './command.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where the service is, and the key for it. */
export type Connection = { baseUrl: string; apiKey: string }

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8080'

/** The file that `login` writes. */
export function settingsFile(env: Environment): string {
  const folder = env.XDG_CONFIG_HOME ?? ''
  // The standard: a relative path is ignored.
  return join(folder.startsWith('/') ? folder : join(homedir(), '.config'), 'video-intelligence', 'login.json')
}

/** Without a final slash and `/v1`. @throws UsageError if it is no http(s) URL */
export function baseUrlOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new UsageError(`the address must be an http(s) URL such as https://video.example.com, not ${given}`)
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '')
}

/** What `login` stored; nothing if there is no such file. @throws Error if it cannot be read */
export async function readLogin(env: Environment): Promise<Partial<Connection>> {
  const file = settingsFile(env)
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<Connection>
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return {}
    throw new Error(`${file} cannot be read: login writes it again`, { cause: error })
  }
}

/** Only the owner may read the file and enter its folder. It is replaced in one step. @returns its path */
export async function writeLogin(env: Environment, connection: Connection): Promise<string> {
  const file = settingsFile(env)
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(fresh, file)
  return file
}

/** The address to use: the option, the variable, the login, or the default. @throws UsageError */
export function addressOf(option: string | undefined, env: Environment, login: Partial<Connection>): string {
  return baseUrlOf(option ?? (env.VIDEO_INTELLIGENCE_BASE_URL || login.baseUrl || DEFAULT_BASE_URL))
}

/**
 * The key is the variable's, or that of the login, which is sent to no other address than its own.
 * @returns the connection; an empty key if there is none
 */
export async function connectionOf(option: string | undefined, env: Environment): Promise<Connection> {
  const login = await readLogin(env)
  const baseUrl = addressOf(option, env, login)
  const stored = login.baseUrl === baseUrl ? login.apiKey : undefined
  return { baseUrl, apiKey: env.VIDEO_INTELLIGENCE_API_KEY || stored || '' }
}
