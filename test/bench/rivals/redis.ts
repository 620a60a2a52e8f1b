import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, type Server, startServer } from './server.ts'

export const redisServer = (): string | undefined =>
  findProgram('redis-server', ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'])

/** A Redis that answers only when a write is on the disk. @throws Error if it is not installed */
export async function startRedis(directory: string): Promise<Server & { socket: string }> {
  const command = redisServer()
  if (command === undefined) throw new Error('redis-server is not installed')
  const socket = join(directory, 'redis.socket')
  const options = { dir: directory, port: '0', unixsocket: socket, appendonly: 'yes', appendfsync: 'always', save: '' }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  return { ...(await startServer(command, args, { ready: () => existsSync(socket), end: 'SIGTERM' })), socket }
}
