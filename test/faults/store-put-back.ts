import { copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/doubles/service/until.ts'
import type { Fault } from './faults.ts'

const BETWEEN_MS = 2000
const STANDS_FOR_MS = 2000

/** A copy of some seconds ago replaces the event store for a while; then the original is back. */
export const storePutBack: Fault = {
  name: 'the event store put back to an older copy, and the original back',
  async happen({ cluster: { store }, deployment }) {
    const log = join(store.folder, 'data', 'log.sqlite')
    const older = `${log}.older`
    await rm(older, { force: true })
    {
      using database = new DatabaseSync(log, { readOnly: true })
      database.exec(`VACUUM INTO '${older}'`)
    }
    await sleep(BETWEEN_MS)
    await store.kill()
    for (const suffix of ['', '-wal']) await rename(log + suffix, `${log}.original${suffix}`)
    await rm(`${log}-shm`, { force: true })
    await copyFile(older, log)
    await store.start()
    const said = await until('/ready says so', async () => {
      const answer = await fetch(`${deployment.base}/ready`).then((response) => response.text())
      return answer.includes('is in its place') && answer
    })
    await sleep(STANDS_FOR_MS)
    const standing = await fetch(`${deployment.base}/ready`).then((response) => response.text())
    if (!standing.includes('is in its place'))
      throw new Error(`the copy is accepted after a while: ${said}, then ${standing}`)
    await store.kill()
    for (const suffix of ['', '-wal', '-shm']) await rm(log + suffix, { force: true })
    for (const suffix of ['', '-wal']) await rename(`${log}.original${suffix}`, log + suffix)
    await store.start()
    await deployment.isReady(60)
  },
}
