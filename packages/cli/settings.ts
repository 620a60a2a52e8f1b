import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from './command.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The service's address, and the key for it. */
export type Connection = { baseUrl: string; apiKey: string }

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8080'

/** The file that `login` writes. */
export function settingsFile(env: Environment): string {
  const folder = env.XDG_CONFIG_HOME ?? ''
  // The standard says to ignore a relative path.
  return join(folder.startsWith('/') ? folder : join(homedir(), '.config'), 'video-intelligence', 'login.json')
}

/** The address without a final slash and `/v1`. @throws UsageError if it is not an http(s) URL */
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

/** Writes the file atomically. Only the owner may read it and enter its folder. @returns its path */
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
 * The key comes from the variable or from the login. The login's key is sent only to the login's address.
 * @returns the connection; an empty key if there is none
 */
export async function connectionOf(option: string | undefined, env: Environment): Promise<Connection> {
  const login = await readLogin(env)
  const baseUrl = addressOf(option, env, login)
  const stored = login.baseUrl === baseUrl ? login.apiKey : undefined
  return { baseUrl, apiKey: env.VIDEO_INTELLIGENCE_API_KEY || stored || '' }
}
