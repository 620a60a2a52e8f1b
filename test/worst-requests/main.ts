/**
 * `npm run worst-requests`: asks a service for the heaviest that each route and page lets through, four at once, and writes
 * the table in ops/security.md: CPU of the main thread and memory for each request. Takes some minutes on a quiet machine.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as rest } from 'node:timers/promises'
import { routesOf } from '#services/dashboard/routes.ts'
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { signUp } from '#test/doubles/service/sign-up.ts'
import { type Heavy, heaviest } from './heaviest.ts'
import { heaviestOf, pagesOf } from './heaviest-pages.ts'
import { holdingsOf, startHeavySetting } from './heavy-setting.ts'
import { type Row, writeTable } from './table.ts'

const AT_ONCE = 4
const ROUNDS = 3
const MEGABYTE = 1e6
const PAGE_BYTES = 4096

/** Time that the main thread of a process has had a core, milliseconds. */
const cpuOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6

const memoryOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES

/** Waits until the service rests, so that what others asked for is not counted. */
async function quiet(pid: number): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const before = cpuOf(pid)
    await rest(100)
    if (cpuOf(pid) - before < 5) return
  }
}

type Cost = { ms: number; mb: number }

/** What each of several requests at once costs, on average. */
async function costOf(pid: number, send: () => Promise<unknown>): Promise<Cost> {
  await send()
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

async function pages(): Promise<string[]> {
  await using dashboard = await serveDashboard()
  const all = pagesOf(routesOf(dashboard.parts, dashboard.options))
  // What ends the session comes last.
  return all.toSorted((a, b) => Number(a === 'post /sign-out') - Number(b === 'post /sign-out'))
}

async function main(): Promise<void> {
  await using setting = await startHeavySetting()
  const { client, cookie } = await signUp(setting, 'heavy@example.com')
  const held = await holdingsOf(setting, client)
  const { pid } = setting.service
  const routes = [
    ...Object.entries(heaviest).map(([route, of]) => ({ route, shown: route, requests: of(held) })),
    ...(await pages()).map((page) => ({
      route: page,
      shown: page.replace(' ', ' /dashboard').replace(/\/$/, ''),
      requests: heaviestOf(page, held, client.orgId),
    })),
  ]
  const rows: Row[] = []
  for (const { route, shown, requests } of routes) {
    const [method = ''] = route.split(' ')
    let row: Row = { route: shown, worst: '', ms: -1, mb: 0 }
    for (const heavy of requests) {
      const { path, body, headers } = heavy
      const cost = await costOf(pid, () =>
        client.call(method.toUpperCase(), path, body ?? null, { cookie, ...headers }),
      )
      if (cost.ms > row.ms) row = { ...row, worst: wordsOf(heavy), ...cost }
    }
    rows.push(row)
  }
  const about = `Written by \`npm run worst-requests\` on ${new Date().toISOString().slice(0, 10)}: for each route and page its worst legal request, ${AT_ONCE} at once, by a customer with 31 jobs of 2 MB and 999 keys; time of the main thread and memory for each of them.`
  writeTable(rows, about)
}

await main()
