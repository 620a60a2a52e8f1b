/**
 * `npm run worst-requests`: sends a service the heaviest request that each route and page lets through, four at once,
 * and writes the table in ops/security.md: CPU of the main thread and memory for each request. Takes some minutes on a
 * quiet machine. `npm run worst-requests -- TEXT` prints only the routes that contain it, and writes nothing.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as rest } from 'node:timers/promises'
import { signUp } from '#test/doubles/service/sign-up.ts'
import { type Heavy, heaviest } from './heaviest.ts'
import { heaviestOf, pages, shownPage } from './heaviest-pages.ts'
import { holdingsOf, startHeavySetting } from './heavy-setting.ts'
import { type Row, writeTable } from './table.ts'

const AT_ONCE = 4
const ROUNDS = 3
const MEGABYTE = 1e6
const PAGE_BYTES = 4096

/** The time that a process's main thread had a core, milliseconds. */
const cpuOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6

const memoryOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES

/** Waits until the service rests, so that earlier requests do not count. */
async function quiet(pid: number): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const before = cpuOf(pid)
    await rest(100)
    if (cpuOf(pid) - before < 5) return
  }
}

/** The request that takes most of the main thread when it is sent alone. */
async function worstOf(
  pid: number,
  requests: readonly Heavy[],
  send: (heavy: Heavy) => Promise<unknown>,
): Promise<Heavy> {
  const costs: number[] = []
  for (const heavy of requests) {
    await send(heavy)
    const before = cpuOf(pid)
    await send(heavy)
    costs.push(cpuOf(pid) - before)
  }
  return requests[costs.indexOf(Math.max(...costs))] as Heavy
}

/** The average cost of each of several requests at once. */
async function costOf(pid: number, send: () => Promise<unknown>): Promise<Pick<Row, 'ms' | 'mb'>> {
  await quiet(pid)
  const [cpu, memory] = [cpuOf(pid), memoryOf(pid)]
  let most = memory
  const watching = setInterval(() => {
    most = Math.max(most, memoryOf(pid))
  }, 5)
  for (let round = 0; round < ROUNDS; round++) await Promise.all(Array.from({ length: AT_ONCE }, send))
  clearInterval(watching)
  return { ms: (cpuOf(pid) - cpu) / (ROUNDS * AT_ONCE), mb: (most - memory) / AT_ONCE / MEGABYTE }
}

/** A request in a few words. */
function wordsOf({ path, body, headers = {} }: Heavy): string {
  const [name, value = ''] = Object.entries(headers).find(([, { length }]) => length > 100) ?? []
  const query = path.split('?')[1] ?? ''
  const parts = [
    ...(query === '' ? [] : [query.length > 40 ? `${query.length} characters of query` : `?${query}`]),
    ...(name === undefined ? [] : [`${name} of ${value.length} characters`]),
    ...(headers.accept === undefined || headers.accept.length > 100 ? [] : [headers.accept]),
    ...(body === undefined ? [] : [`a body of ${Math.ceil(body.length / 1000)} kB`]),
  ]
  return parts.length === 0 ? 'as it is' : parts.join(', ').replaceAll('|', '')
}

/**
 * Requests that change nothing come first, then those that remove nothing that others need. The one that ends the
 * session is last.
 */
const orderOf = ({ shown }: { shown: string }): number =>
  shown.startsWith('get ') ? 0 : shown.endsWith('/sign-out') ? 3 : shown.endsWith('/delete') ? 2 : 1

async function main(wanted = ''): Promise<void> {
  await using setting = await startHeavySetting()
  const { client, cookie } = await signUp(setting, 'heavy@example.com')
  await setting.service.org('plan', client.orgId, 'pro')
  const held = await holdingsOf(setting, client)
  console.error('the service holds as much as it may')
  const { pid } = setting.service
  const routes = [
    ...Object.entries(heaviest).map(([route, of]) => ({ route, shown: route, requests: of(held) })),
    ...(await pages()).map((page) => ({
      route: page,
      shown: shownPage(page),
      requests: heaviestOf(page, held, client.orgId),
    })),
  ]
  const asked = routes.filter(({ shown }) => shown.includes(wanted)).toSorted((a, b) => orderOf(a) - orderOf(b))
  const rows: Row[] = []
  for (const { route, shown, requests } of asked) {
    const [method = ''] = route.split(' ')
    const send = ({ path, body, headers }: Heavy) =>
      client.call(method.toUpperCase(), path, body ?? null, { cookie, ...headers })
    const heavy = await worstOf(pid, requests, send)
    rows.push({ route: shown, worst: wordsOf(heavy), ...(await costOf(pid, () => send(heavy))) })
    console.error(rows.length, shown, rows.at(-1)?.ms)
  }
  const about = `Written by \`npm run worst-requests\` on ${new Date().toISOString().slice(0, 10)}: for each route and page its worst legal request, ${AT_ONCE} at once, by a customer with 31 jobs of 2 MB and 999 keys; time of the main thread and memory for each of them.`
  if (wanted === '') writeTable(rows, about)
  else console.table(rows)
}

await main(process.argv[2])
