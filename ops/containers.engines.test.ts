/** Runs Kafka on this machine with the configuration of ops/compose.yaml, and tests who may connect. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse } from 'yaml'
import { Engine, type EngineKind } from '#ops/local-engines/engine.ts'
import { classPathOf } from '#ops/local-engines/jars.ts'
import { SHORT_LIVED } from '#ops/local-engines/kafka.ts'
import { freePorts } from '#ops/local-engines/ports.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

const run = promisify(execFile)
const kafkaFolder = 'ops/local-engines/kafka'
const log4j = join(kafkaFolder, 'log4j2.properties')

type Service = { environment: Record<string, string | number>; command: string[] }
const compose = parse(readFileSync('ops/compose.yaml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>
}

/** The Kafka property that a variable of the image sets. */
const propertyOf = (variable: string): string =>
  variable
    .slice('KAFKA_'.length)
    .toLowerCase()
    .replaceAll(/_+/g, (line) => ['.', '_', '-'][line.length - 1] ?? line)

/** One broker instead of three, on this machine's ports, with the files of `folder` instead of mounted ones. */
function propertiesOf(folder: string, ports: readonly number[]): string {
  const alone = { 'controller.quorum.voters': `1@localhost:${ports[1]}`, 'log.dirs': join(folder, 'data') }
  const given = Object.entries(compose.services['kafka-1']?.environment ?? {})
    .filter(([name]) => name.startsWith('KAFKA_') && name !== 'KAFKA_HEAP_OPTS')
    .map(([name, value]) => [propertyOf(name), onThisMachine(`${value}`, folder, ports)] as const)
    .map(([name, value]) => [name, /replic|\.isr$/.test(name) ? '1' : value])
  return Object.entries({ ...Object.fromEntries(given), ...alone })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

/** Replaces names, ports and paths in a text of the compose file by this machine's. */
const onThisMachine = (text: string, folder: string, ports: readonly number[]): string =>
  text
    .replaceAll('/etc/kafka/secrets/broker.pem', join(folder, 'secrets/kafka-1.pem'))
    .replaceAll('/etc/kafka/secrets/ca.crt', join(folder, 'secrets/ca.crt'))
    .replaceAll(/kafka-1(:909\d),kafka-2[^ ]*/g, 'kafka-1$1')
    .replaceAll(/(kafka-1|:\/\/)?:(909[234])/g, (_all, host: string, port: string) => {
      const own = ports[Number(port) - 9092]
      return host === 'kafka-1' ? `localhost:${own}` : `${host ?? ''}localhost:${own}`
    })

describe('Kafka with the configuration of ops/compose.yaml', function () {
  this.timeout(180_000)

  describeOn('kafka', () => {
    let directory: Awaited<ReturnType<typeof temporaryDirectory>>
    let broker: Engine
    let ports: number[]

    before(async () => {
      directory = await temporaryDirectory()
      const folder = directory.path
      await run('ops/make-secrets', [folder])
      const password = /^QUEUE_PASSWORD=(.+)$/m.exec(readFileSync(join(folder, '.env'), 'utf8'))?.[1] ?? ''
      ports = await freePorts(3)
      const classPath = await classPathOf(join(kafkaFolder, 'pom.xml'), join(process.cwd(), '.engines', 'jars'))
      const properties = join(folder, 'server.properties')
      const kind: EngineKind = {
        name: 'kafka-1',
        ports,
        async prepare() {
          await writeFile(properties, propertiesOf(folder, ports))
          // Does the same as the service queue-user in the compose file, which runs a command that no published jar
          // contains.
          const user = `SCRAM-SHA-512=[name=video,iterations=8192,password=${password}]`
          const words = ['--add-scram', user, '--ignore-formatted']
          const format = ['format', '-t', 'dmlkZW8tcGlwZWxpbmUtMQ', '-c', properties, ...words]
          await run('java', [...SHORT_LIVED, '-cp', classPath, 'kafka.tools.StorageTool', ...format])
        },
        command: [
          'java',
          '-Xmx256m',
          ...SHORT_LIVED,
          `-Dlog4j2.configurationFile=${log4j}`,
          '-cp',
          classPath,
          'kafka.Kafka',
          properties,
        ],
        isReady: async (said) => said.includes('Kafka Server started'),
      }
      broker = new Engine(kind, { folder, detached: false })
      await broker.start()
    })
    after(async () => {
      await broker?.kill()
      await directory?.[Symbol.asyncDispose]()
    })

    /** Runs an operator's command with the variables that ops/compose.yaml gives to services, and others. */
    const listDeadLetters = (others: Record<string, string> = {}) => {
      const { environment = {} } = compose.services['fetch-caption'] ?? {}
      const ofKafka = Object.entries(environment).filter(
        ([name, value]) => name.startsWith('KAFKA_') && !/\$\{/.test(`${value}`),
      )
      const env = {
        PATH: process.env.PATH,
        ...Object.fromEntries(
          ofKafka.map(([name, value]) => [name, `${value}`.replace('/run/secrets', join(directory.path, 'secrets'))]),
        ),
        KAFKA_BROKERS: `localhost:${ports[0]}`,
        KAFKA_REPLICATION: '1',
        KAFKA_PARTITIONS: '1',
        NODE_EXTRA_CA_CERTS: join(directory.path, 'secrets/ca.crt'),
        ...others,
      }
      return run('npm', ['run', '--silent', 'dead-letters', '--', 'list'], { env }).then(
        () => 'served',
        ({ stderr }: { stderr: string }) => stderr,
      )
    }

    it('serves the services with their password', async () => {
      expect(await listDeadLetters()).to.equal('served')
    })

    it('refuses a wrong password, and a missing one', async () => {
      const wrong = [
        { KAFKA_PASSWORD: 'wrong', KAFKA_PASSWORD_FILE: '' },
        { KAFKA_USERNAME: '', KAFKA_PASSWORD_FILE: '' },
      ]
      for (const said of await Promise.all(wrong.map(listDeadLetters))) expect(said).to.not.equal('served')
    })

    it('refuses clients without a broker’s certificate on the brokers’ own listeners', async () => {
      const refuses = async (port: number): Promise<void> => {
        const others = { KAFKA_BROKERS: `localhost:${port}`, KAFKA_USERNAME: '', KAFKA_PASSWORD_FILE: '' }
        expect(await listDeadLetters(others), `port ${port}`).to.not.equal('served')
      }
      await Promise.all(ports.slice(1).map(refuses))
    })
  })
})
