import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { noteService } from '#services/host/service-note.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { placeOf } from './place.ts'

/** Holds the lock on a data directory, as a running service does. */
function runOn(directory: string, url: string): Disposable {
  const running = new DisposableStack()
  running.use(lockDataDirectory(directory))
  running.use(noteService(directory, { url }))
  return running
}

describe('the place of npm run org', () => {
  const folder = directoryForEach()
  const configOf = (dataDir: string, port = 0) => readConfig({ DATA_DIR: dataDir, PORT: String(port) })

  it('is the data directory, with the service that runs on it', async () => {
    const config = configOf(folder.path)
    const nobody = await placeOf(config, { sandbox: false })
    expect(nobody.dataDir).to.equal(folder.path)
    expect(nobody.told.join('\n')).to.contain(folder.path).and.to.contain('none runs').and.to.not.contain('WARNING')
    using _running = runOn(folder.path, 'http://127.0.0.1:4321')
    const { told } = await placeOf(config, { sandbox: false })
    expect(told.join('\n')).to.contain('http://127.0.0.1:4321').and.to.not.contain('WARNING')
  })

  it('is the sandbox’s with --sandbox, and each warns if only the other one runs', async () => {
    const [config, sandbox] = [configOf(folder.path), join(folder.path, 'sandbox')]
    using running = new DisposableStack()
    running.use(runOn(sandbox, 'http://127.0.0.1:4321'))
    const good = await placeOf(config, { sandbox: true })
    expect(good.dataDir).to.equal(sandbox)
    expect(good.told.join('\n')).to.contain('http://127.0.0.1:4321').and.to.not.contain('WARNING')
    const wrong = await placeOf(config, { sandbox: false })
    expect(wrong.told.join('\n')).to.match(/WARNING .*:4321 runs on other data, .*sandbox, .*add --sandbox/)
    running.dispose()
    using _other = runOn(folder.path, 'http://127.0.0.1:1234')
    const wrongAgain = await placeOf(config, { sandbox: true })
    expect(wrongAgain.told.join('\n')).to.match(/WARNING .*:1234 .*leave out --sandbox/)
  })

  it('warns if a service on other data answers at the configured address', async () => {
    await using server = await onLoopback(createServer((_request, response) => response.end('{"status":"ok"}')))
    const config = configOf(folder.path, server.port)
    expect((await placeOf(config, { sandbox: false })).told.join('\n')).to.match(/WARNING .*DATA_DIR/)
  })

  it('ignores a service that was killed', async () => {
    const lock = lockDataDirectory(folder.path)
    noteService(folder.path, { url: 'http://127.0.0.1:4321' })
    lock[Symbol.dispose]()
    const { told } = await placeOf(configOf(folder.path), { sandbox: false })
    expect(told.join('\n')).to.contain('none runs')
  })
})
