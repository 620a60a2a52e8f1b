import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/doubles/service/until.ts'
import { whileDown } from './cluster.ts'
import type { Fault } from './faults.ts'

const BETWEEN_MS = 2000
const STANDS_FOR_MS = 2000

/** A copy that is some seconds old replaces the event store for a while; then the original is back. */
export const storePutBack: Fault = {
  name: 'the event store put back to an older copy, and the original back',
  async happen({ cluster: { store }, deployment }) {
    const data = join(store.folder, 'data')
    const [older, original] = [`${data}.older`, `${data}.original`]
    const readiness = async () => (await fetch(`${deployment.base}/ready`)).text()
    await whileDown(store, () => cp(data, older, { recursive: true }))
    await sleep(BETWEEN_MS)
    await whileDown(store, async () => {
      await rename(data, original)
      await rename(older, data)
    })
    const said = await until('/ready says so', async () => {
      const answer = await readiness()
      return answer.includes('is in its place') && answer
    })
    await sleep(STANDS_FOR_MS)
    const standing = await readiness()
    if (!standing.includes('is in its place'))
      throw new Error(`the copy is accepted after a while: ${said}, then ${standing}`)
    await whileDown(store, async () => {
      await rm(data, { recursive: true })
      await rename(original, data)
    })
    await deployment.isReady(180)
  },
}
