import { spawnSync } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { until } from '#test/doubles/service/until.ts'
import { cacheKey, type Download, type MediaCache, type MediaCacheOptions, openMediaCache } from './media-cache.ts'

describe('the media cache', () => {
  let directory: string
  const signal = new AbortController().signal
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cache-'))
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  const open = (more: Partial<MediaCacheOptions> = {}): Promise<MediaCache> =>
    openMediaCache({ directory, clock: systemClock, ids: systemIds, ...more })
  /** Uses a file for a moment. */
  const bring = async (cache: MediaCache, key: string, download: Download = source(), organization?: string) =>
    (await cache.use(key, download, signal, organization))[Symbol.asyncDispose]()
  const key = (name: string) => cacheKey(`http://cdn.example.com/${name}`, 'file')
  /** A download that writes `bytes` and counts its calls. */
  const source = (bytes = 'bytes', times = { count: 0 }) =>
    Object.assign(
      async (path: string, ..._rest: unknown[]) => {
        times.count++
        await writeFile(path, bytes)
        return { name: 'a' }
      },
      { times },
    )
  const ofThirty = source('x'.repeat(30))
  const full: Download = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
  const files = async () => (await readdir(join(directory, 'files'))).filter((name) => name.endsWith('.media'))
  const works = () => readdir(join(directory, 'work'))
  /** A download that waits until it is released, or aborted by its signal. */
  const held = () => {
    const begun = Promise.withResolvers<AbortSignal>()
    const go = Promise.withResolvers<void>()
    const download: Download = async (path, shared, reserve) => {
      begun.resolve(shared)
      shared.addEventListener('abort', () => go.reject(shared.reason))
      await go.promise
      return source()(path, shared, reserve)
    }
    return { download, begun: begun.promise, go: go.resolve }
  }

  it('downloads once, and returns what the source said', async () => {
    const cache = await open()
    const download = source()
    for (let i = 0; i < 2; i++) {
      await using file = await cache.use(key('a'), download, signal)
      expect([await readFile(file.path, 'utf8'), file.bytes, file.about]).to.deep.equal(['bytes', 5, { name: 'a' }])
    }
    expect(download.times.count).to.equal(1)
    expect(await works()).to.deep.equal([])
  })

  it('uses files that another cache of this machine has downloaded', async () => {
    const download = source()
    for (const cache of [await open(), await open()]) {
      await using file = await cache.use(key('a'), download, signal)
      expect(file.bytes).to.equal(5)
    }
    expect(download.times.count).to.equal(1)
  })

  it('shares one download among all callers', async () => {
    const cache = await open()
    const one = held()
    const first = cache.use(key('a'), one.download, signal)
    await one.begun
    const second = cache.use(key('a'), () => expect.fail('a second download'), signal)
    one.go()
    await using a = await first
    await using b = await second
    expect(a.path).to.not.equal(b.path)
  })

  it('aborts a shared download only when all callers have given up', async () => {
    const cache = await open()
    const one = held()
    const [alice, bob] = [new AbortController(), new AbortController()]
    const running = [alice, bob].map((who) =>
      cache.use(key('a'), one.download, who.signal).catch((error) => error.message),
    )
    const shared = await one.begun
    // a caller that shares the download listens for its own end
    await until('both wait', () => [alice, bob].every((who) => getEventListeners(who.signal, 'abort').length === 1))
    alice.abort(new Error('alice left'))
    expect(await running[0]).to.equal('alice left')
    expect(shared.aborted).to.equal(false)
    bob.abort(new Error('bob left'))
    expect([await running[1], shared.aborted]).to.deep.equal(['bob left', true])
    await using file = await cache.use(key('a'), source(), signal)
    expect(file.bytes).to.equal(5)
  })

  it('rejects every waiting caller with the error of the download, and tries again for the next', async () => {
    const cache = await open()
    const failing: Download = async (path) => {
      await writeFile(path, 'half')
      throw new Error('broke off')
    }
    const both = [cache.use(key('a'), failing, signal), cache.use(key('a'), failing, signal)]
    expect(await Promise.all(both.map((use) => use.catch((error) => error.message)))).to.deep.equal([
      'broke off',
      'broke off',
    ])
    expect([await files(), await works()]).to.deep.equal([[], []])
    await using file = await cache.use(key('a'), source(), signal)
    expect(file.bytes).to.equal(5)
  })

  it('stays within its size, evicts the least recently used first, and takes no file from its user', async () => {
    const cache = await open({ maxBytes: 10 })
    await using a = await cache.use(key('a'), source('aaaa'), signal)
    await bring(cache, key('b'), source('bbbb'))
    const long = new Date(systemClock.now() - 60_000)
    await utimes(join(directory, 'files', `${key('a')}.media`), long, new Date())
    await bring(cache, key('c'), source('cccc'))
    expect((await files()).toSorted()).to.deep.equal([`${key('b')}.media`, `${key('c')}.media`].toSorted())
    expect(await readFile(a.path, 'utf8')).to.equal('aaaa')
  })

  /** Writes a thousand bytes at a time without end, and calls back for each. */
  const endless =
    (wrote: (bytes: number) => void): Download =>
    async (path, shared, reserve) => {
      for (;;) {
        shared.throwIfAborted()
        await reserve(1000)
        wrote(1000)
        await appendFile(path, Buffer.alloc(1000))
      }
    }

  it('keeps any number of downloads under way within its size, and continues afterwards', async () => {
    const cache = await open({ maxBytes: 1_000_000 })
    let onDisk = 0
    let most = 0
    const failed: { code: string; transient: boolean }[] = []
    const one = async (name: string) => {
      let own = 0
      const download = endless((bytes) => {
        own += bytes
        onDisk += bytes
        most = Math.max(most, onDisk)
      })
      const error = await cache.use(key(name), download, signal).catch((error) => error)
      onDisk -= own
      failed.push({ code: error.code, transient: error.transient })
    }
    await Promise.all(Array.from({ length: 32 }, (_, number) => one(`${number}`)))
    expect(most).to.be.within(900_000, 1_000_000)
    expect(failed[0]).to.deep.equal({ code: 'internal_error', transient: true })
    expect([await files(), await works()]).to.deep.equal([[], []])
    await using file = await cache.use(key('after'), source('x'.repeat(900_000)), signal)
    expect(file.bytes).to.equal(900_000)
  })

  it('evicts finished files to make room for a download under way', async () => {
    const cache = await open({ maxBytes: 10_000 })
    await bring(cache, key('old'), source('x'.repeat(8000)))
    const large: Download = async (path, shared, reserve) => {
      await reserve(5000)
      expect(await files()).to.deep.equal([])
      return source('y'.repeat(5000))(path, shared, reserve)
    }
    await using file = await cache.use(key('large'), large, signal)
    expect(file.bytes).to.equal(5000)
  })

  it('limits the downloads of one organization to half, so that those of others continue', async () => {
    const cache = await open({ maxBytes: 1_000_000 })
    let hers = 0
    const growing = endless((bytes) => {
      hers += bytes
    })
    const greedy = ['a', 'b', 'c'].map((name) =>
      cache.use(key(name), growing, signal, 'alice').catch(({ message }) => message),
    )
    const [first, ...others] = await Promise.all(greedy)
    expect([first, ...others].filter((message) => /its share/.test(message))).to.have.length.above(1)
    expect(hers).to.be.above(400_000)
    const stop = new AbortController()
    const begun = Promise.withResolvers<void>()
    let own = 0
    const more = (name: string) =>
      cache.use(
        key(name),
        async (path, shared, reserve) => {
          await reserve(240_000)
          own += 240_000
          if (own === 480_000) begun.resolve()
          await new Promise((_, reject) => shared.addEventListener('abort', () => reject(shared.reason)))
          return source()(path, shared, reserve)
        },
        stop.signal,
        'alice',
      )
    const held = [more('d'), more('e')].map((use) => use.catch(() => undefined))
    await begun.promise
    await using bobs = await cache.use(key('f'), source('x'.repeat(400_000)), signal, 'bob')
    expect(bobs.bytes).to.equal(400_000)
    stop.abort(new Error('enough'))
    await Promise.all(held)
  })

  it('evicts from the owner with the most bytes, so that no owner evicts the files of others', async () => {
    const cache = await open({ maxBytes: 100 })
    await bring(cache, key('bobs'), ofThirty, 'bob')
    for (let number = 0; number < 9; number++) await bring(cache, key(`${number}`), ofThirty, 'alice')
    expect(await files())
      .to.length(3)
      .and.include(`${key('bobs')}.media`)
  })

  it('knows who downloaded what, including downloads of another process', async () => {
    const before = await open({ maxBytes: 100 })
    await bring(before, key('hers'), ofThirty, 'alice')
    for (const name of ['his 1', 'his 2']) await bring(before, key(name), ofThirty, 'bob')
    await bring(await open({ maxBytes: 100 }), key('his 3'), ofThirty, 'bob')
    expect(await files()).to.include(`${key('hers')}.media`)
  })

  it("does not delay others behind a download that waits for its organization's share", async () => {
    const cache = await open()
    const go = Promise.withResolvers<void>()
    const waiting = Promise.withResolvers<void>()
    const slow: Download = async (path, shared, reserve, onWait) => {
      onWait(true)
      waiting.resolve()
      await go.promise
      return source()(path, shared, reserve, onWait)
    }
    const hers = cache.use(key('a'), slow, signal, 'alice')
    await waiting.promise
    await using his = await cache.use(key('a'), source(), signal, 'bob')
    expect(his.bytes).to.equal(5)
    go.resolve()
    await using late = await hers
    expect(late.bytes).to.equal(5)
  })

  it('refuses a file larger than the whole cache', async () => {
    const cache = await open({ maxBytes: 10_000 })
    const error = await cache.use(key('a'), endless(Boolean), signal).catch((error) => error)
    expect(error).to.include({ name: 'StepError', code: 'media_too_large', transient: false })
  })

  it("keeps the disk's free space: evicts finished files, then stops downloading", async () => {
    await bring(await open(), key('a'))
    const cache = await open({ minFreeBytes: Number.MAX_SAFE_INTEGER })
    const error = await cache.use(key('b'), () => expect.fail('a download'), signal).catch((error) => error)
    expect(error).to.include({ name: 'StepError', code: 'internal_error', transient: true })
    expect(error.message).to.contain('free space')
    expect(await files()).to.deep.equal([])
  })

  it('downloads a file again when it is too old', async () => {
    let now = systemClock.now()
    const cache = await open({ maxAgeSeconds: 60, clock: { ...systemClock, now: () => now } })
    const download = source()
    await bring(cache, key('a'), download)
    now += 61_000
    // sets the time of the new file: the file system does not know the test's clock
    const later: Download = async (path, shared, reserve) => {
      const about = await download(path, shared, reserve)
      await utimes(path, new Date(now), new Date(now))
      return about
    }
    await bring(cache, key('a'), later)
    expect(download.times.count).to.equal(2)
  })

  it('survives being emptied at any moment', async () => {
    const cache = await open()
    const download = source()
    await using before = await cache.use(key('a'), download, signal)
    await rm(join(directory, 'files'), { recursive: true })
    expect(await readFile(before.path, 'utf8')).to.equal('bytes')
    await bring(cache, key('a'), download)
    await rm(directory, { recursive: true })
    await using after = await cache.use(key('a'), download, signal)
    expect([after.bytes, download.times.count]).to.deep.equal([5, 3])
  })

  it('removes leftovers of crashed processes, and nothing of live ones', async () => {
    const dead = spawnSync('true').pid
    const names = [
      `${hostname()}.${dead}.x`,
      `${hostname()}.${process.pid}.x`,
      `${hostname()}.${process.ppid}.x`,
      'elsewhere.1.x',
    ]
    for (const name of names) await mkdir(join(directory, 'work', name), { recursive: true })
    await open()
    expect((await works()).toSorted()).to.deep.equal(names.slice(2).toSorted())
  })

  it('fails with a transient error when the disk is full, and makes room', async () => {
    const cache = await open()
    await bring(cache, key('a'))
    const error = await cache.use(key('b'), full, signal).catch((error) => error)
    expect(error).to.include({ name: 'StepError', code: 'internal_error', transient: true })
    expect(await files()).to.deep.equal([])
  })

  it('makes room on a full disk from the owner with the most bytes', async () => {
    const cache = await open()
    await bring(cache, key('bobs'), ofThirty, 'bob')
    for (let number = 0; number < 3; number++) await bring(cache, key(`${number}`), ofThirty, 'alice')
    await cache.use(key('more'), full, signal, 'alice').catch(() => undefined)
    expect(await files())
      .to.length(2)
      .and.include(`${key('bobs')}.media`)
  })

  it('drops everything of one URL, whatever its format, and nothing of another', async () => {
    const cache = await open()
    const url = 'http://cdn.example.com/a'
    for (const name of [cacheKey(url, 'audio'), cacheKey(url, 'captions'), key('ab')]) await bring(cache, name)
    await using inUse = await cache.use(cacheKey(url, 'audio'), source(), signal)
    await cache.drop({ url })
    expect((await readdir(join(directory, 'files'))).toSorted()).to.deep.equal([
      `${key('ab')}.about`,
      `${key('ab')}.media`,
    ])
    expect(await readFile(inUse.path, 'utf8')).to.equal('bytes')
  })

  it('drops only what one organization downloaded, even after a restart and next to a partial file', async () => {
    const before = await open()
    for (const [name, organization] of [
      ['acmes', 'acme'],
      ['bobs', 'bob'],
      ['operators', undefined],
    ] as const)
      await bring(before, key(name), source(), organization)
    await writeFile(join(directory, 'files', `${key('half')}.about`), '{"about":')
    const cache = await open()
    // Anyone who knows the key may use the file. It is still Acme's.
    await bring(cache, key('acmes'), source(), 'bob')
    await cache.drop({ organization: 'acme' })
    expect((await files()).toSorted()).to.deep.equal([`${key('bobs')}.media`, `${key('operators')}.media`].toSorted())
  })

  it('sweeps files that are too old, including a part that a crash has left', async () => {
    const cache = await open({ maxAgeSeconds: 60 })
    for (const name of ['old', 'new']) await bring(cache, key(name))
    const long = new Date(systemClock.now() - 61_000)
    await writeFile(join(directory, 'files', `${key('half')}.about`), '{}')
    for (const name of [`${key('old')}.media`, `${key('half')}.about`])
      await utimes(join(directory, 'files', name), long, long)
    await cache.sweep()
    expect((await readdir(join(directory, 'files'))).toSorted()).to.deep.equal([
      `${key('new')}.about`,
      `${key('new')}.media`,
    ])
  })
})
