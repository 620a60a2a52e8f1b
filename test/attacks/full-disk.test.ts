import { closeSync, openSync, readFileSync } from 'node:fs'
import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { BackDoor } from '#test/doubles/service/back-door.ts'
import { Client } from '#test/doubles/service/client.ts'
import { Service } from '#test/doubles/service/service.ts'
import { at } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { smallDisk, withSmallDisk } from '#test/doubles/small-disk.ts'
import { startWorld } from '#test/doubles/world/world.ts'

const DISK_BYTES = 24 * 1_048_576

/** Longer than a refusal takes, and shorter than a wait for the disk. */
const REFUSED_WITHIN_MS = 1000

describe('a full disk', function () {
  this.timeout(120_000)

  withSmallDisk(() => {
    it('with data and log on it: accepts are refused at once with the reason, reads are answered, and room makes all work', async () => {
      await using disk = await smallDisk(DISK_BYTES)
      const logPath = join(disk.path, 'log')
      const log = openSync(logPath, 'a')
      await using world = await startWorld({ files: {} })
      const env = { DATA_DIR: join(disk.path, 'data'), LOG_LEVEL: 'debug' }
      await using service = await Service.prepare({ world, env })
      await service.start({ log })
      closeSync(log)
      await using backDoor = await BackDoor.open({ env: service.env, dataDir: env.DATA_DIR })
      const me = new Client(() => service.base, await backDoor.organization({ plan: 'pro' }))
      const post = () => me.transcript({ url: at('/a.mp4'), mode: 'native' })
      expect((await post()).status).to.equal(202)

      const filler = join(disk.path, 'filler')
      await writeFile(filler, Buffer.alloc(DISK_BYTES)).catch(() => undefined)
      const refused = await until('an accept is refused', async () => {
        const answer = await post()
        return answer.status === 503 && answer
      })
      expect(refused.body.message).to.equal('Nothing can be stored now: the disk of the service is full, or fails.')
      const took: number[] = []
      for (let n = 0; n < 3; n++) {
        const from = performance.now()
        const answers = await Promise.all([post(), post(), me.post('/v1/keys', { name: 'phone' })])
        took.push(performance.now() - from)
        // An accept that fits into the free room of SQLite's log is still stored.
        for (const { status, body } of answers.filter((answer) => answer.status >= 300))
          expect([status, body.error]).to.deep.equal([503, 'unavailable'])
      }
      expect(Math.min(...took)).to.be.below(REFUSED_WITHIN_MS)
      const reads = await Promise.all([me.get('/v1/me'), me.get('/v1/jobs'), me.get('/health')])
      expect(reads.map(({ status }) => status)).to.deep.equal([200, 200, 200])
      // More lines than fit into the last block of the log.
      for (let n = 0; n < 40; n++) await me.get('/v1/me')
      await until('/ready says it', async () => {
        const { status, text } = await me.get('/ready')
        return status === 503 && text.includes('the disk of DATA_DIR is full')
      })

      await unlink(filler)
      await until('jobs are accepted again', async () => (await post()).status === 202)
      await until('it is ready again', async () => (await me.get('/ready')).status === 200)
      await until('the log says how much it lost', () => readFileSync(logPath, 'utf8').includes('"lost":'))
      expect((await service.end('SIGTERM')).code).to.equal(0)
    })
  })
})
