import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram, type Server, startServer, type User } from './server.ts'

const run = promisify(execFile)

/** The programs are not on the PATH. The newest of Debian's versions comes last. */
const folders = (): string[] => [...globSync('/usr/lib/postgresql/*/bin').sort().reverse(), '/usr/local/bin']

export const postgresServer = (): string | undefined => findProgram('postgres', folders())

/** PostgreSQL refuses to run as root. Then it runs as the user that Debian made for it, or as the user `nobody`. */
async function serverUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const idsOf = async (name: string): Promise<User> => {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
    )
    return { uid: uid ?? 0, gid: gid ?? 0 }
  }
  return idsOf('postgres').catch(() => idsOf('nobody'))
}

/** A PostgreSQL that answers only when a commit is on the disk. @throws Error if it is not installed */
export async function startPostgres(directory: string): Promise<Server & { url: string }> {
  const command = postgresServer()
  const initdb = findProgram('initdb', folders())
  const isReady = findProgram('pg_isready', [...folders(), '/usr/bin'])
  if (command === undefined || initdb === undefined || isReady === undefined)
    throw new Error('postgresql is not installed')
  const user = await serverUser()
  const data = join(directory, 'postgres')
  await mkdir(data)
  if (user !== undefined) await chown(data, user.uid, user.gid)
  const initial = ['-D', data, '--auth=trust', '--username=bench', '--no-instructions', '--encoding=UTF8']
  await run(initdb, initial, { ...user, cwd: '/' })
  const settings = {
    synchronous_commit: 'on',
    fsync: 'on',
    shared_buffers: '256MB',
    listen_addresses: '',
    unix_socket_directories: data,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const ready = (): Promise<boolean> =>
    run(isReady, ['-q', '-h', data]).then(
      () => true,
      () => false,
    )
  const options = { ready, end: 'SIGINT' as const, ...(user && { user }) }
  const server = await startServer(command, ['-D', data, ...args], options)
  const url = `postgresql://bench@localhost/postgres?host=${encodeURIComponent(data)}`
  return { ...server, url }
}
