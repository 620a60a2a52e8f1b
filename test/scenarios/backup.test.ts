/** A backup that is made while customers post jobs, and restored on another machine. */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Random } from '#test/doubles/random.ts'
import { audit } from '#test/doubles/service/audit.ts'
import { BackDoor } from '#test/doubles/service/back-door.ts'
import { answeredOtherwise, Customer, type Order } from '#test/doubles/service/customer.ts'
import { eventsAtRest } from '#test/doubles/service/running-service.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

const modes = ['native', 'auto', 'generate']

/** Most jobs end at once, so that many jobs are accepted on few cores. */
const orders: readonly [Order, ...Order[]] = [
  { url: at('/captioned.mp4'), mode: 'native', end: 'completed' },
  { url: at('/captioned.mp4'), mode: 'generate', end: 'completed' },
  ...[...modes, ...modes, ...modes, ...modes].map(
    (mode): Order => ({ url: at('/nothing.mp4'), mode, end: 'video_unavailable' }),
  ),
]

describe('a backup of a service at work', function () {
  this.timeout(240_000)

  it('has every job that was answered before it: after a restore elsewhere, each ends, and the credits add up', async () => {
    await using setting = await Setting.start({
      media: ['captioned.mp4'],
      env: { RATE_HEAVY_FACTOR: '1000', RATE_POLLS_PER_MINUTE: '100000', JOB_WINDOW_SECONDS: '900' },
    })
    const { service } = setting
    await using elsewhere = await temporaryDirectory()
    const [copy, dataDir] = [join(elsewhere.path, 'copy'), join(elsewhere.path, 'data')]
    const history = async (folder: string, ...words: string[]): Promise<Record<string, unknown>> => {
      const script = ['--import', 'tsx/esm', 'ops/history/main.ts', ...words, '--json']
      const env = { ...service.env, DATA_DIR: folder }
      return JSON.parse((await promisify(execFile)(process.execPath, script, { env })).stdout)
    }
    const clients = await Promise.all(['starter', 'pro'].map((plan) => setting.client({ plan: plan as 'pro' })))
    await setting.closeBackDoor()

    const customers = [...clients, ...clients].map(
      (client, n) => new Customer(client, new Random(`${n}`), orders, [50, 150]),
    )
    const answeredNow = () => customers.flatMap(({ answered }) => answered)
    const stop = new AbortController()
    const shopping = Promise.all(customers.map((customer) => customer.run(stop.signal)))
    await until('jobs are under way', () => answeredNow().length > 30)
    const { before, position } = await until('a backup is made while jobs are accepted', async () => {
      await rm(copy, { recursive: true, force: true })
      const before = answeredNow()
      const { position } = await history(service.dataDir, 'backup', '--to', copy)
      return answeredNow().length > before.length + 10 && { before, position }
    })
    stop.abort()
    await shopping
    await service.end('SIGKILL')

    expect(await history(dataDir, 'restore', '--from', copy)).to.include({ position, setAside: null })
    await service.start({ env: { DATA_DIR: dataDir } })
    expect(await answeredOtherwise(before)).to.deep.equal([])

    await using backDoor = await BackDoor.open({ env: service.env, dataDir })
    const { complaints, balances } = audit(await eventsAtRest(backDoor, {}))
    expect(complaints).to.deep.equal([])
    for (const client of clients) expect(await client.credits()).to.equal(balances.get(client.orgId))
    expect(await history(dataDir, 'verify')).to.include({ holds: true })
  })
})
