/**
 * The service rebuilds views that are damaged, replaced or lost. Meanwhile no answer is wrong or older than an earlier
 * one, and `/ready` reports the rebuild.
 */
import { copyFile, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { openBeside } from '#test/doubles/open-beside.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { addPastJobs } from '#test/doubles/service/past-jobs.ts'
import { until } from '#test/doubles/service/until.ts'
import {
  assertStartsDespite,
  assertSurvives,
  middle,
  overwrite,
  startViewsHarness,
} from '#test/doubles/service/views.harness.ts'

/** Damage to the file while the service is stopped. */
const stopped: Record<string, (path: string) => Promise<void>> = {
  'its second half is gone': async (path) => truncate(path, await middle(path)),
  'one letter in a result is another': async (path) => {
    const bytes = await readFile(path)
    const at = bytes.indexOf('word 7 of 30')
    expect(at).to.be.greaterThan(0)
    await overwrite(path, at, Buffer.from('X'))
  },
  'an index is overwritten': async (path) => {
    const database = new DatabaseSync(path, { readOnly: true })
    const root = database.prepare("SELECT rootpage FROM sqlite_master WHERE name LIKE 'jobs_pages%' LIMIT 1").get()
    const size = database.prepare('PRAGMA page_size').get()
    database.close()
    await overwrite(path, (Number(root?.rootpage) - 1) * Number(size?.page_size), Buffer.alloc(1024, 7))
  },
}

/** Damage to the file while the service runs. */
const running: Record<string, (path: string) => Promise<void>> = {
  'it is removed': async (path) => {
    for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true })
  },
  'it is emptied': (path) => writeFile(path, ''),
  'its tables are emptied by another program': async (path) => {
    const database = openBeside(path)
    database.exec('BEGIN; DELETE FROM documents; DELETE FROM state; COMMIT')
    database.close()
  },
}

describe('views that are damaged or replaced', function () {
  this.timeout(240_000)
  if (startScript !== 'start') return

  const on = openedForAll(() => startViewsHarness())

  for (const [what, damage] of Object.entries(stopped))
    it(`while it is stopped: ${what}`, () => assertStartsDespite(on, damage))

  for (const [what, damage] of Object.entries(running)) it(`while it runs: ${what}`, () => assertSurvives(on, damage))

  it('while it runs: an older copy is put in its place', async () => {
    const { setting, path, ask } = on
    await setting.service.end('SIGTERM')
    await copyFile(path, `${path}.copy`)
    await setting.service.start()
    const me = setting.clients[0]
    const [jobId] = await addPastJobs(await setting.backDoor(), me?.orgId ?? '', 1, 10)
    const poll = `/v1/transcript/${jobId}`
    const isEnded = async () => (await ask(poll)).body.status === 'completed' && (await ask(poll)).text
    const ended = await until('the job has ended', isEnded)
    await copyFile(`${path}.copy`, path)
    const seen = new Set<string>()
    const looks = async () => {
      seen.add((await ask(poll)).text)
      return setting.service.output.includes('changed by another program')
    }
    await until('it has noticed', looks)
    expect([...seen]).to.deep.equal([ended])
  })
})
