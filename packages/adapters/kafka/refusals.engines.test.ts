import { randomUUID } from 'node:crypto'
import { createServer as createPlainServer } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect } from 'chai'
import { Engine } from '#ops/local-engines/engine.ts'
import { classPathOf } from '#ops/local-engines/jars.ts'
import { kafkaBrokers } from '#ops/local-engines/kafka.ts'
import { freePorts } from '#ops/local-engines/ports.ts'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { makeCertificate } from '#test/doubles/world/certificate.ts'
import type { KafkaCluster } from './cluster.ts'
import { KafkaWorkQueue } from './work-queue.ts'

/** A broker that requires a PLAIN login, and grants rights only to its administrator. */
const guarded = (port: number, quorum: number) => ({
  listeners: `SASL_PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${quorum}`,
  'advertised.listeners': `SASL_PLAINTEXT://127.0.0.1:${port}`,
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT',
  'inter.broker.listener.name': 'SASL_PLAINTEXT',
  'sasl.enabled.mechanisms': 'PLAIN',
  'sasl.mechanism.inter.broker.protocol': 'PLAIN',
  'listener.name.sasl_plaintext.plain.sasl.jaas.config':
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="admin" password="admin-secret" ' +
    'user_admin="admin-secret" user_video="secret-password";',
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': 'User:admin;User:ANONYMOUS',
})

describeOn('kafka', () => {
  describe('KafkaWorkQueue and brokers that refuse', function () {
    this.timeout(120_000)
    let directory: Awaited<ReturnType<typeof temporaryDirectory>>
    let broker: Engine
    let port = 0
    before(async () => {
      directory = await temporaryDirectory()
      const here = join(process.cwd(), 'ops/local-engines/kafka')
      const [clients = 0, quorum = 0] = await freePorts(2)
      port = clients
      const [kind] = kafkaBrokers({
        folder: directory.path,
        portPairs: [[clients, quorum]],
        classPath: await classPathOf(join(here, 'pom.xml'), join(process.cwd(), '.engines/jars')),
        log4j: join(here, 'log4j2.properties'),
        lines: guarded(clients, quorum),
      })
      if (kind === undefined) throw new Error('no broker')
      broker = new Engine(kind, { folder: directory.path, detached: false })
      await broker.start()
    })
    after(async () => {
      await broker?.kill()
      await directory[Symbol.asyncDispose]()
    })

    /** The refusal that a queue on these brokers reports, and the lines that it has logged by then. */
    async function refusalOf(cluster: Partial<KafkaCluster>): Promise<{ message: string; lines: string[] }> {
      const lines: string[] = []
      const note = (fields: object, message: string): void =>
        void lines.push(
          `${message} ${JSON.stringify(fields, (_, each) => (each instanceof Error ? String(each) : each))}`,
        )
      const log = { debug() {}, info: note, warn: note, error: note }
      const prefix = `test-${randomUUID()}`
      const options = { brokers: [`127.0.0.1:${port}`], log, partitions: 2, replication: 0, prefix, ...cluster }
      await using queue = new KafkaWorkQueue(options)
      const refusal = await until('it refuses', async () => {
        const error = await queue.look().catch((thrown: unknown) => thrown)
        return error instanceof RefusedError && error
      })
      const before = lines.filter((line) => line.startsWith(refusal.message)).length
      for (let n = 0; n < 3; n++) await queue.look().catch(() => {})
      expect(
        lines.filter((line) => line.startsWith(refusal.message)),
        'said once',
      )
        .to.have.length(before)
        .and.have.length(1)
      expect(refusal.message)
        .to.match(/^Kafka refuses: /)
        .and.not.match(/127\.0\.0\.1|localhost|secret/)
      expect(lines.join('\n')).to.not.contain('secret')
      return { message: refusal.message, lines }
    }

    it('reports a wrong password, and a mechanism that they do not support', async () => {
      const wrong = { username: 'video', password: 'other-secret' }
      const { message } = await refusalOf({ login: { mechanism: 'plain', ...wrong } })
      expect(message).to.contain('does not know KAFKA_USERNAME and KAFKA_PASSWORD')
      const other = await refusalOf({ login: { mechanism: 'scram-sha-512', ...wrong } })
      expect(other.message).to.contain('KAFKA_SASL_MECHANISM')
    })

    it('reports that they require a login', async () => {
      const { message } = await refusalOf({})
      expect(message).to.contain('set KAFKA_USERNAME, KAFKA_PASSWORD and KAFKA_SASL_MECHANISM')
    })

    it('reports the missing rights', async () => {
      const login = { mechanism: 'plain', username: 'video', password: 'secret-password' } as const
      const { message } = await refusalOf({ login })
      expect(message).to.contain('grant its user Create, Describe, Read and Write on topics')
    })

    it('reports when only one side speaks TLS', async () => {
      const { message } = await refusalOf({ tls: true })
      expect(message).to.contain('speaks no TLS; take KAFKA_SSL away')
      const { key, cert } = await makeCertificate(directory.path, ['localhost'])
      await using secure = await onLoopback(createServer({ key, cert }).on('tlsClientError', () => undefined))
      const brokers = [`127.0.0.1:${secure.port}`]
      expect((await refusalOf({ brokers })).message).to.contain('speaks TLS; set KAFKA_SSL to true')
      expect((await refusalOf({ brokers, tls: true })).message).to.contain('certificate is not trusted')
    })

    it('does not mistake a broker that is away, or ends every connection, for one that refuses', async () => {
      await using rude = await onLoopback(createPlainServer((socket) => void socket.destroy()))
      const brokers = [`127.0.0.1:${rude.port}`]
      const warnings: string[] = []
      const log = {
        debug() {},
        info() {},
        warn: (_: object, message: string) => void warnings.push(message),
        error() {},
      }
      await using queue = new KafkaWorkQueue({ brokers, log, partitions: 2, replication: 0, prefix: 'test' })
      await until('it has tried', () => warnings.some((line) => line.includes('could not be looked after')))
      const error = await queue.look().catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(Error).and.not.instanceOf(RefusedError)
    })
  })
})
