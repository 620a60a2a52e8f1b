import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { Connection } from './connection.ts'

export type Account = { name: string; password: string }

const TIMEOUT_MS = 10_000

/**
 * Creates the account that the services use. It can read and write streams and read the feed, and has no administrator
 * rights. Safe to repeat: a second call sets the password.
 * @param url of an administrator, with TLS and one host: `esdb://admin:password@host:2113?tls=true&tlsCAFile=…`
 * @throws Error the server refuses or cannot be reached
 */
export async function prepareAccount(url: string, account: Account): Promise<void> {
  const ask = userApi(url)
  const created = await ask('/users/', {
    loginName: account.name,
    fullName: 'Video Intelligence Service',
    groups: [],
    password: account.password,
  })
  if (created === 409) {
    const path = `/users/${encodeURIComponent(account.name)}/command/reset-password`
    assertDone(await ask(path, { newPassword: account.password }), 'set the password of')
  } else assertDone(created, 'create')
  await letReadFeed(url, account.name)
}

function assertDone(status: number, what: string): void {
  if (status < 200 || status > 299)
    throw new Error(`the event store answers ${status}: it does not ${what} the account`)
}

/** The feed is `$all`. New metadata replaces the old, so it has to list the administrators again. */
export async function letReadFeed(url: string, name: string): Promise<void> {
  await using connection = new Connection(url, { deadlineMs: TIMEOUT_MS, patienceMs: TIMEOUT_MS })
  const { credentials } = connection
  const acl = { readRoles: ['$admins', name] }
  await connection.ask((client) => client.setStreamMetadata('$all', { acl }, { credentials, deadline: TIMEOUT_MS }))
}

/** Calls the API that manages users: plain HTTPS on the same port. Returns the status. */
function userApi(connection: string): (path: string, body: object) => Promise<number> {
  const url = new URL(connection.replace(/^esdb:/, 'https:'))
  const caFile = url.searchParams.get('tlsCAFile')
  const agent = new Agent({ keepAlive: false, ...(caFile !== null && { ca: readFileSync(caFile) }) })
  const auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return (path, body) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body)
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
      const options = { agent, auth, headers, method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS) }
      const asking = request(new URL(path, url.origin), options)
      asking.once('error', reject)
      asking.once('response', (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      asking.end(text)
    })
}
