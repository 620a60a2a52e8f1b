import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { existsSync, openSync, truncateSync, writeSync } from 'node:fs'
import { copyFile, cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { verifyEventFile } from '#packages/adapters/sqlite/verify.ts'
import { purposes } from '#packages/foundation/secrets/sealer.ts'
import { keyFileOf } from '#packages/foundation/secrets/secrets-key.ts'
import { account } from '#packages/ports/accounts-samples.contract.ts'
import { grants } from '#packages/ports/event-store-samples.contract.ts'
import { madeForEach } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { Installation, snapshotOf } from './backup.harness.ts'

/** Overwrites the head of a page in the middle of a file. */
function damage(path: string, size: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(64, 0x5a), 0, 64, Math.floor(size / 2 / 4096) * 4096)
  fs.closeSync(file)
}

describe('npm run history -- backup and restore', function () {
  this.timeout(60_000)
  const folder = directoryForEach()
  const service = madeForEach(() => Installation.in(join(folder.path, 'data')))
  const other = madeForEach(() => Installation.in(join(folder.path, 'other')))
  let copy: string
  beforeEach(() => {
    copy = join(folder.path, 'backups', 'today')
  })

  it('copy everything into another folder, including the views, readable only by the owner', async () => {
    await service.add('credits-1', 'credits-2')
    await service.register(account({ id: 'mira' }))
    const before = await service.contents()
    await service.backup(copy)
    const left = await snapshotOf(service.data.path)
    await other.restore(copy)
    expect(await other.contents()).to.deep.equal(before)
    expect(before).to.deep.include({ documents: ['credits-1', 'credits-2'], viewsAt: 2, accounts: ['mira'] })
    expect(verifyEventFile(other.data.events, () => undefined)).to.deep.equal({ events: 2, findings: [] })
    for (const path of [copy, other.data.path])
      for (const [name, bytes] of Object.entries(await snapshotOf(path))) expect(bytes, name).to.match(/^600 /)
    expect((await stat(copy)).mode & 0o777).to.equal(0o700)
    expect(await snapshotOf(service.data.path), 'a backup changes nothing').to.deep.equal(left)
    expect(await readdir(join(folder.path, 'backups'))).to.deep.equal(['today'])
  })

  it('include everything in the write-ahead logs, and events appended during the copy', async () => {
    await service.add('credits-1')
    await using store = await openSqliteEventStore({ path: service.data.events })
    const answered: string[] = []
    const stop = new AbortController()
    const appending = (async () => {
      for (let n = 0; !stop.signal.aborted; n++) {
        const stream = `credits-more-${n}`
        await store.append(stream, 'no-stream', grants(3))
        answered.push(stream)
      }
    })()
    await until('some are in the log', () => answered.length > 50)
    const before = [...answered]
    await service.backup(copy)
    stop.abort()
    await appending
    expect(answered.length, 'appends went on').to.be.above(before.length)
    await other.restore(copy)
    const { streams } = await other.contents()
    expect(before.filter((stream) => !streams.includes(stream))).to.deep.equal([])
    expect(verifyEventFile(other.data.events, () => undefined).findings).to.deep.equal([])
  })

  it('rebuild newer views, even after as many other events', async () => {
    await service.add('credits-1')
    await service.backup(copy)
    await service.add('credits-2')
    await copyFile(service.data.views, join(folder.path, 'newer'))
    await service.restore(copy, { replace: true })
    const putNewer = async () => {
      for (const suffix of ['-wal', '-shm']) await rm(service.data.views + suffix, { force: true })
      await copyFile(join(folder.path, 'newer'), service.data.views)
    }
    expect(await service.contents(), 'views of the backup').to.deep.include({ viewsAt: 1, documents: ['credits-1'] })
    await putNewer()
    expect(await service.contents()).to.deep.include({ viewsAt: 0, streams: ['credits-1'], documents: [] })
    await service.add('credits-3')
    await putNewer()
    expect(await service.contents()).to.deep.include({ viewsAt: 0, streams: ['credits-1', 'credits-3'], documents: [] })
  })

  it('refuse a running service and existing data, which --replace sets aside', async () => {
    await service.add('credits-1')
    await service.backup(copy)
    await other.add('credits-2', 'credits-3')
    await other.register(account({ id: 'mira' }))
    await writeFile(`${other.data.events}.damage`, 'a note\n', { mode: 0o600 })
    const before = await snapshotOf(other.data.path)
    {
      using _lock = lockDataDirectory(other.data.path)
      expect(await other.restore(copy, { replace: true }).catch(String)).to.contain('in use by another running service')
    }
    expect(await other.restore(copy).catch(String))
      .to.contain('events.sqlite')
      .and.contain('--replace')
    expect(await snapshotOf(other.data.path)).to.deep.equal(before)

    await other.restore(copy, { replace: true })
    expect(existsSync(`${other.data.events}.damage`)).to.equal(false)
    const [aside = ''] = (await readdir(other.data.path)).filter((name) => name.startsWith('replaced-'))
    const { 'accounts.sqlite': accounts, ...replaced } = before
    expect(await snapshotOf(join(other.data.path, aside))).to.deep.include(replaced)
    expect(accounts, 'the backup has none').to.equal((await snapshotOf(other.data.path))['accounts.sqlite'])
    expect(await other.contents()).to.deep.equal({ ...(await service.contents()), accounts: ['mira'] })
  })

  it('hold no sealing key, and say so; a restore without it lists the losses and continues', async () => {
    await service.add('credits-1')
    const key = service.makeKey()
    await service.backup(copy)
    expect(service.told.at(-1)).to.contain('does not hold the key that seals')
    for (const bytes of await Promise.all((await readdir(copy)).map((name) => readFile(join(copy, name)))))
      for (const part of [key, key.toString('hex'), key.toString('base64')])
        expect(bytes.includes(part)).to.equal(false)
    await other.restore(copy)
    expect(other.told.filter((line) => /^Lost, .*a key or an invitation/.test(line))).to.have.length(1)
    expect((await other.contents()).streams).to.deep.equal(['credits-1'])
    await writeFile(keyFileOf(other.data.path), key.toString('hex'))
    await other.restore(copy, { replace: true })
    const lost = other.told.filter((line) => line.startsWith('Lost, '))
    expect(lost, 'told by the first restore alone').to.have.length(Object.keys(purposes).length)
    expect(await readdir(other.data.path)).to.include('secrets.key')
  })

  it('list the ids that were forgotten since the backup and are back', async () => {
    await service.add('credits-1')
    await service.forget('job-before')
    await service.backup(copy)
    await service.forget('job-since')
    await service.restore(copy, { replace: true })
    expect(service.told.filter((line) => line.includes('orgotten'))).to.deep.equal([
      'Forgotten since the backup, and back with it: npm run history -- forget job-since',
    ])
    await service.restore(copy, { replace: true })
    expect(service.told.at(-1)).to.contain('cannot tell what was forgotten')
  })

  it('refuse a damaged backup, name the file, and change nothing', async () => {
    await service.add('credits-1')
    await service.register(account({ id: 'mira' }))
    await service.backup(copy)
    const empty = await snapshotOf(other.data.path)
    const sound = await snapshotOf(copy)
    const damages: [string, (path: string, size: number) => unknown][] = [
      ['events.sqlite', damage],
      ['views.sqlite', damage],
      ['accounts.sqlite', damage],
      ['accounts.sqlite', (path, size) => truncateSync(path, size - 4096)],
      ['events.sqlite', (path) => rm(path)],
      ['manifest.json', (path, size) => truncateSync(path, size / 2)],
      ['manifest.json', (path) => rm(path)],
      ['manifest.json', async (path) => writeFile(path, (await readFile(path, 'utf8')).replace('"events"', '"../x"'))],
    ]
    for (const [name, harm] of damages) {
      const path = join(copy, name)
      const bytes = await readFile(path)
      await harm(path, bytes.length)
      expect(await other.restore(copy).catch(String), name)
        .to.match(/backup/)
        .and.contain(name)
      expect(await snapshotOf(other.data.path), name).to.deep.equal(empty)
      await writeFile(path, bytes)
    }
    expect(await snapshotOf(copy)).to.deep.equal(sound)
    await other.restore(copy)
    expect((await other.contents()).accounts).to.deep.equal(['mira'])
  })

  it('refuse damaged or missing events, and leave damaged views out', async () => {
    await service.add('credits-1', 'credits-2', 'credits-3')
    const whole = await readFile(service.data.events)
    await writeFile(
      service.data.events,
      Buffer.from(whole.toString('latin1').replace('"credits":1', '"credits":7'), 'latin1'),
    )
    expect(await service.backup(copy).catch(String)).to.match(
      /events.sqlite is damaged: .*position \d. No backup was made/,
    )
    await writeFile(service.data.events, whole)
    const older = join(folder.path, 'older')
    await service.backup(older)
    await service.add('credits-4')
    await rm(`${service.data.events}-wal`, { force: true })
    await copyFile(join(older, 'events.sqlite'), service.data.events)
    expect(await service.backup(copy).catch(String)).to.contain('events are missing')
    expect(existsSync(copy) || existsSync(`${copy}.unfinished`)).to.equal(false)

    await other.restore(older)
    const { size } = await stat(other.data.views)
    damage(other.data.views, size)
    await other.backup(`${copy}-1`)
    damage(other.data.views, 0)
    await other.backup(copy)
    expect(other.told.filter((line) => /^views.sqlite is damaged: .* left out/.test(line))).to.have.length(2)
    for (const made of [`${copy}-1`, copy]) expect(await readdir(made)).to.not.include('views.sqlite')
    const third = await Installation.in(join(folder.path, 'third'))
    await third.restore(copy)
    expect(await third.contents()).to.deep.include({ streams: ['credits-1', 'credits-2', 'credits-3'], viewsAt: 0 })
  })

  it('write only into new folders', async () => {
    await service.add('credits-1')
    await service.backup(copy)
    expect(await service.backup(copy).catch(String)).to.contain('is not empty')
    expect(await other.backup(join(folder.path, 'next')).catch(String)).to.contain('there is no event file')
    expect(existsSync(join(folder.path, 'next'))).to.equal(false)
  })

  it('leave no partial backup when killed, and the next one succeeds', async () => {
    await service.add('credits-1')
    for (const moment of ['views.sqlite', 'events.sqlite', 'manifest.json']) {
      const [, signal] = await backupKilledAt(moment, { dataDir: service.data.path, copy })
      expect(signal, moment).to.equal('SIGKILL')
      expect(existsSync(copy), moment).to.equal(false)
      expect(existsSync(join(`${copy}.unfinished`, moment)), moment).to.equal(true)
      expect(await other.restore(copy).catch(String)).to.contain('is no backup')
    }
    await service.backup(copy)
    await other.restore(copy)
    expect(await other.contents()).to.deep.equal(await service.contents())
    expect(await readdir(join(folder.path, 'backups'))).to.deep.equal(['today'])
  })

  it('leave a state that a start refuses and a repeat finishes, wherever a restore dies', async () => {
    await service.add('credits-1')
    await service.register(account({ id: 'mira' }))
    await service.backup(copy)
    const restored = await service.contents()
    await other.add('credits-2', 'credits-3')
    await other.register(account({ id: 'noor' }))
    let refused = 0
    for (let renames = 0; ; renames++) {
      const target = await Installation.in(join(folder.path, `target-${renames}`))
      await cp(other.data.path, target.data.path, { recursive: true })
      const died = await diesAfter(renames, () => target.restore(copy, { replace: true }))
      if (!died) break
      const start = await openSqliteEventStore({ path: target.data.events })
        .then((store) => store[Symbol.asyncDispose]())
        .catch(String)
      if (start === undefined)
        expect(await target.contents(), `after ${renames}`).to.deep.include({ accounts: ['noor'], viewsAt: 2 })
      else {
        refused++
        expect(start).to.contain('events are missing')
      }
      await target.restore(copy, { replace: true })
      expect(await target.contents(), `after ${renames}`).to.deep.equal(restored)
    }
    expect(refused).to.be.above(4)
  })
})

/** Runs a backup and kills it once this file exists. @returns how it ended */
async function backupKilledAt(moment: string, { dataDir, copy }: { dataDir: string; copy: string }) {
  const code = `import fs, { watch } from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { mkdirSync, existsSync } = fs
    const look = () => { if (existsSync(${JSON.stringify(join(`${copy}.unfinished`, moment))})) process.kill(process.pid, 'SIGKILL') }
    for (const name of ['statSync', 'renameSync', 'fsyncSync', 'openSync']) {
      const own = fs[name]
      fs[name] = (...given) => { look(); return own(...given) }
    }
    syncBuiltinESMExports()
    setInterval(look, 1)
    const { backup } = await import(${JSON.stringify(new URL('./backup.ts', import.meta.url).href)})
    const { openDataDirectory } = await import(${JSON.stringify(new URL('../../services/host/data-directory.ts', import.meta.url).href)})
    const data = await openDataDirectory(${JSON.stringify(dataDir)})
    await backup({ data, stores: ['views', 'accounts', 'events'] }, { folder: ${JSON.stringify(copy)} }, () => {}, () => {})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'ignore', 'inherit'] })
  return once(child, 'close')
}

/**
 * Runs work that fails to rename or remove files after this many renames, as if its process had died. @returns whether
 * it failed
 */
async function diesAfter(renames: number, work: () => Promise<void>): Promise<boolean> {
  const { renameSync, rmSync } = fs
  let done = 0
  let dead = false
  fs.renameSync = (from, to) => {
    dead ||= done++ === renames
    if (dead) throw new Error('dead')
    renameSync(from, to)
  }
  fs.rmSync = (path, options) => {
    if (dead) throw new Error('dead')
    rmSync(path, options)
  }
  syncBuiltinESMExports()
  try {
    await work()
    return false
  } catch (error) {
    if ((error as Error).message !== 'dead') throw error
    return true
  } finally {
    Object.assign(fs, { renameSync, rmSync })
    syncBuiltinESMExports()
  }
}
