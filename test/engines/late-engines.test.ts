import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { families, variableOf } from '#ops/local-engines/local-engines.ts'
import { freePorts } from '#ops/local-engines/ports.ts'
import { type OwnEngines, startOwnEngines } from '#test/doubles/engines/own-engines.ts'
import { until } from '#test/doubles/service/until.ts'

/** Together these use every engine in every way. */
const names = ['ingress', 'orchestrator', 'projections', 'fetch'] as const

type Service = { name: string; url: string; child: ChildProcess }

describe('services that start before their engines', function () {
  this.timeout(300_000)
  const own = new Map<string, OwnEngines>()
  const services: Service[] = []
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'late-engines-'))
    await Promise.all(families.map(async (family) => own.set(variableOf[family], await startOwnEngines(family))))
    const engines = Object.fromEntries([...own].map(([variable, { url }]) => [variable, url]))
    await Promise.all([...own.values()].flatMap((each) => each.engines.map((engine) => engine.stop())))
    const ports = await freePorts(names.length)
    for (const [index, name] of names.entries()) {
      const port = String(ports[index])
      const variables = {
        SECRETS_KEY: 'ab'.repeat(32),
        PORT: port,
        SERVICE_PORT: port,
        DATA_DIR: join(folder, name),
        LOG_LEVEL: 'silent',
      }
      const words = ['--import', 'tsx/esm', 'services/host/main.ts', name]
      const env = { ...process.env, ...engines, ...variables }
      const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
      services.push({ name, url: `http://127.0.0.1:${port}`, child })
    }
  })
  after(async () => {
    for (const { child } of services) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    for (const each of own.values()) await each[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const ended = () => services.filter(({ child }) => child.exitCode !== null).map(({ name }) => name)
  const answer = (url: string) =>
    fetch(url).then(
      async (response) => ({ status: response.status, says: await response.text() }),
      () => undefined,
    )

  it('are alive, and report what they wait for', async () => {
    for (const { name, url } of services) {
      await until(`${name} lives`, async () => (await answer(`${url}/health`))?.status === 200)
      const other = name === 'fetch' ? 'Kafka does not answer' : 'the database of the views does not answer'
      const ready = await until(`${name} says what it waits for`, async () => {
        const said = await answer(`${url}/ready`)
        return ['the event store does not answer', other].every((one) => said?.says.includes(one)) && said
      })
      expect(ready?.status, name).to.equal(503)
    }
    expect(ended()).to.deep.equal([])
  })

  it('continue when the engines come, in any order', async () => {
    await Promise.all([...own.values()].flatMap(({ engines }) => engines.map((engine) => engine.start())))
    for (const { name, url } of services)
      await until(`${name} is ready`, async () => (await answer(`${url}/ready`))?.status === 200)
    expect(ended()).to.deep.equal([])
  })
})
