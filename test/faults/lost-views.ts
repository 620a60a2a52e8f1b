import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '#ops/local-engines/engine.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { endpointOf } from '#test/doubles/service/customer.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { whileDown } from './cluster.ts'
import type { Fault, Scene } from './faults.ts'

/** Jobs that are polled all the while. */
const KNOWN_JOBS = 12

/** Pause between polls: without it, the polls would take a core from the processes that rebuild the views. */
const BETWEEN_LOOKS_MS = 100

/** How much older the restored copy is. */
const COPY_AGE_MS = 3000

/** The answer about one job before the views were lost. */
type Known = { client: Client; path: string; status: string }

const dataOf = async ({ folder }: Engine): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('data')).map((name) => join(folder, name))

async function remove(engine: Engine): Promise<void> {
  const files = await dataOf(engine)
  if (files.length === 0) throw new Error(`${engine.folder} holds no data: what the server keeps lies elsewhere`)
  for (const file of files) await rm(file, { recursive: true })
}

async function putBack(engine: Engine): Promise<void> {
  await using directory = await temporaryDirectory()
  const copy = directory.path
  await whileDown(engine, () => cp(engine.folder, copy, { recursive: true }))
  await sleep(COPY_AGE_MS)
  await whileDown(engine, async () => {
    await remove(engine)
    for (const name of await readdir(copy))
      if (name.startsWith('data')) await cp(join(copy, name), join(engine.folder, name), { recursive: true })
  })
}

/** Jobs with an end that was answered to their customers. */
async function knownJobs({ load }: Scene): Promise<Known[]> {
  const known: Known[] = []
  for (const { client, jobId, order } of load.answered.slice(-KNOWN_JOBS)) {
    const path = `${endpointOf(order)}/${jobId}`
    const { body } = await client.ended(jobId, endpointOf(order), 240)
    known.push({ client, path, status: String(body.status) })
  }
  return known
}

/** Finds wrong answers while views are lost and rebuilt: each must be the same as before, or 503. */
async function wrongAnswers(known: readonly Known[]): Promise<string[]> {
  const wrong: string[] = []
  for (const { client, path, status } of known) {
    const answer = await client.get(path)
    if (answer.status !== 503 && answer.body.status !== status)
      wrong.push(`${path} was ${status}, and is answered with ${answer.status} ${answer.text}`)
  }
  for (const client of new Set(known.map((one) => one.client)))
    for (const path of ['/v1/keys', '/v1/jobs']) {
      const { status, text } = await client.get(path)
      const isEmpty = text === '[]' || text.startsWith('{"jobs":[]')
      if (status !== 503 && (status !== 200 || isEmpty)) wrong.push(`${path} is answered with ${status} ${text}`)
    }
  return wrong
}

/** Loses the views, and repeats the earlier polls until the views are rebuilt. */
async function lose(scene: Scene, act: () => Promise<void>): Promise<void> {
  const known = await knownJobs(scene)
  let isOver = false
  const asking = (async () => {
    const wrong: string[] = []
    while (!isOver) {
      wrong.push(...(await wrongAnswers(known)))
      await sleep(BETWEEN_LOOKS_MS)
    }
    return wrong
  })()
  try {
    await act()
    await scene.deployment.isReady(180)
  } finally {
    isOver = true
  }
  const wrong = [...(await asking), ...(await wrongAnswers(known))]
  if (wrong.length > 0) throw new Error(`${wrong.length} wrong answers, such as ${wrong.slice(0, 3).join('; ')}`)
}

/** The same, but the process that writes the views continues and notices the loss. */
const loseBehind = (scene: Scene, act: () => Promise<void>): Promise<void> =>
  lose(scene, async () => {
    const losses = (): number => scene.deployment.output.split('the views are lost').length
    const before = losses()
    await act()
    await until('the loss is noticed', () => losses() > before)
  })

const empty = ({ cluster }: Scene): Promise<void> => whileDown(cluster.views, () => remove(cluster.views))

/** Losses of the views without the services' knowledge. */
export const lostViews: readonly Fault[] = [
  { name: 'views emptied', happen: (scene) => loseBehind(scene, () => empty(scene)) },
  { name: 'views put back to an older copy', happen: (scene) => loseBehind(scene, () => putBack(scene.cluster.views)) },
  {
    name: 'views emptied, and their writer killed',
    happen: (scene) =>
      lose(scene, async () => {
        await empty(scene)
        await scene.deployment.kill('projections')
      }),
  },
]
