import { createServer as createPlainServer } from 'node:net'
import { createServer } from 'node:tls'
import { expect } from 'chai'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { type Answers, hello, refusal, startRefusingServer } from '#test/doubles/mongodb/refusing-server.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { makeCertificate } from '#test/doubles/world/certificate.ts'
import { systemClock as clock } from '../system/clock.ts'
import { MongoConnection } from './connection.ts'
import { openMongoViews } from './views.ts'

const isHello = (command: object): boolean => 'hello' in command || 'ismaster' in command || 'isMaster' in command
const standalone: Answers = (command) => (isHello(command) ? hello() : undefined)

/** The first refusal that a connection reports, or that a use of the views throws. */
async function refusalAt(port: number, options = '', login = ''): Promise<RefusedError> {
  const seen: unknown[] = []
  const url = `mongodb://${login}127.0.0.1:${port}/video?${options}`
  await using connection = new MongoConnection({ url, selectionTimeoutMs: 300, onTrouble: (error) => seen.push(error) })
  const views = openMongoViews({ connection, clock, definition })
  const found = await until('it refuses', async () => {
    const met = await views.getNotes(['nothing']).catch((error: unknown) => error)
    return [met, ...seen].find((error) => error instanceof RefusedError)
  })
  const error = found as RefusedError
  expect(error.message)
    .to.match(/^the database refuses: /)
    .and.not.match(/127\.0\.0\.1|secret|somebody/)
  expect(String(error.cause)).to.not.match(/secret/)
  return error
}

/** No mongod runs here: codes and messages come from the server's documentation. */
describe('MongoDB and a server that refuses', function () {
  this.timeout(60_000)

  it('reports a wrong password', async () => {
    const wrong = refusal(18, 'AuthenticationFailed', 'Authentication failed.')
    await using server = await startRefusingServer((command) =>
      isHello(command) ? hello({ saslSupportedMechs: ['SCRAM-SHA-256'] }) : 'saslStart' in command ? wrong : undefined,
    )
    const error = await refusalAt(server.port, 'directConnection=true&authSource=admin', 'somebody:secret-password@')
    expect(error.message).to.contain('does not know the user and password of MONGODB_URL')
  })

  it('reports a missing grant, without the refused command', async () => {
    const denied = refusal(13, 'Unauthorized', 'not authorized on video to execute command { find: "secret" }')
    await using server = await startRefusingServer((command) =>
      isHello(command) ? hello() : 'find' in command ? denied : undefined,
    )
    const error = await refusalAt(server.port, 'directConnection=true')
    expect(error.message).to.contain('grant it the role readWrite')
  })

  it('reports a server in no replica set, in another one, and in one that was not initiated', async () => {
    await using alone = await startRefusingServer(standalone)
    expect((await refusalAt(alone.port, 'replicaSet=rs0')).message).to.contain('mend replicaSet in MONGODB_URL')
    const other = { setName: 'rs1', setVersion: 1, secondary: false, me: '127.0.0.1:1', hosts: ['127.0.0.1:1'] }
    await using elsewhere = await startRefusingServer((command) => (isHello(command) ? hello(other) : undefined))
    expect((await refusalAt(elsewhere.port, 'replicaSet=rs0')).message).to.contain('mend replicaSet in MONGODB_URL')
    const ghost = { isWritablePrimary: false, ismaster: false, isreplicaset: true }
    await using unbegun = await startRefusingServer((command) => (isHello(command) ? hello(ghost) : undefined))
    expect((await refusalAt(unbegun.port, 'replicaSet=rs0')).message).to.contain('call rs.initiate() once')
  })

  it('reports when only one side speaks TLS, and a certificate that is not trusted', async () => {
    await using directory = await temporaryDirectory()
    const { key, cert } = await makeCertificate(directory.path, ['localhost'])
    await using secure = await onLoopback(createServer({ key, cert }).on('tlsClientError', () => undefined))
    expect((await refusalAt(secure.port)).message).to.contain('speaks TLS; put tls=true into MONGODB_URL')
    expect((await refusalAt(secure.port, 'tls=true')).message).to.contain('certificate is not trusted; let tlsCAFile')
    await using rude = await onLoopback(createPlainServer((socket) => void socket.once('data', () => socket.destroy())))
    expect((await refusalAt(rude.port, 'tls=true')).message).to.contain('speaks no TLS')
  })
})
