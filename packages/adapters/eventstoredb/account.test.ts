import { createServer } from 'node:https'
import { join } from 'node:path'
import { EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { makeCertificate } from '#test/doubles/world/certificate.ts'
import { letReadFeed, prepareAccount } from './account.ts'

type Asked = { path: string; login: string; body: unknown }

/** A stand-in for EventStoreDB's user API. It answers with the given statuses, one after another. */
async function standInUsers(directory: string, ...statuses: number[]) {
  const asked: Asked[] = []
  const { key, cert, file } = await makeCertificate(directory, ['localhost'])
  const server = await onLoopback(
    createServer({ key, cert }, async (request, response) => {
      const login = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString()
      const body: unknown = JSON.parse(Buffer.concat(await request.toArray()).toString())
      asked.push({ path: request.url ?? '', login, body })
      response.writeHead(statuses.shift() ?? 500).end()
    }),
  )
  const url = `esdb://admin:s%3Fcret@localhost:${server.port}?tls=true&tlsCAFile=${encodeURIComponent(file)}`
  return { ...server, asked, url }
}

describe('the account of the services', () => {
  it('may read the feed, like the administrators', async () => {
    await using directory = await temporaryDirectory()
    await using server = await startEventStoreDouble({ path: join(directory.path, 'events.log') })
    await letReadFeed(server.url, 'video')
    const client = EventStoreDBClient.connectionString(server.url)
    const { metadata } = await client.getStreamMetadata('$all')
    await client.dispose()
    expect(metadata?.acl?.readRoles).to.deep.equal(['$admins', 'video'])
  })

  it('is created by an administrator over a connection with a checked certificate', async () => {
    await using directory = await temporaryDirectory()
    await using users = await standInUsers(directory.path, 403)
    const refused = await prepareAccount(users.url, { name: 'video', password: 'p' }).catch((error: Error) => error)
    expect(refused).to.have.property('message').that.contains('answers 403: it does not create the account')
    const body = { loginName: 'video', fullName: 'Video Intelligence Service', groups: [], password: 'p' }
    expect(users.asked).to.deep.equal([{ path: '/users/', login: 'admin:s?cret', body }])
    await using elsewhere = await temporaryDirectory()
    const { file } = await makeCertificate(elsewhere.path, ['localhost'])
    const untrusted = users.url.replace(/tlsCAFile=.*/, `tlsCAFile=${encodeURIComponent(file)}`)
    const error = await prepareAccount(untrusted, { name: 'video', password: 'p' }).catch((reason: Error) => reason)
    expect(error).to.have.property('code', 'DEPTH_ZERO_SELF_SIGNED_CERT')
    expect(users.asked, 'no request reached it').to.have.length(1)
  })

  it('gets the given password if it exists already', async () => {
    await using directory = await temporaryDirectory()
    await using users = await standInUsers(directory.path, 409, 404)
    const refused = await prepareAccount(users.url, { name: 'video', password: 'new' }).catch((error: Error) => error)
    expect(refused).to.have.property('message').that.contains('does not set the password')
    const [, second] = users.asked
    expect(second?.path).to.equal('/users/video/command/reset-password')
    expect(second?.body).to.deep.equal({ newPassword: 'new' })
  })
})
