import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { python } from '#test/doubles/python.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { PackageIndex, type Release } from './package-index.harness.ts'
import { type Channel, takePrevious, upgradeYtdlp } from './upgrade.ts'

const requires = ["certifi>=1; extra == 'default'", "curl-cffi; extra == 'curl-cffi'"]
const releases: Release[] = [
  { name: 'yt-dlp', version: '2099.1.1', hoursOld: 30, requires },
  { name: 'yt-dlp', version: '2099.1.2', hoursOld: 20, requires },
  { name: 'yt-dlp', version: '2099.1.3.1200.dev0', hoursOld: 1, requires },
  { name: 'certifi', version: '2099.1.1', hoursOld: 100 },
  { name: 'curl-cffi', version: '99.1', hoursOld: 100 },
  { name: 'curl-cffi', version: '99.2', hoursOld: 2 },
  { name: 'bgutil-ytdlp-pot-provider', version: '99.1', hoursOld: 100 },
]

/** The tests run in order: each continues from the end of the one before. */
describe('upgrades of yt-dlp', function () {
  this.timeout(60_000)
  let index: PackageIndex
  const directory = directoryForAll()
  let folder: string
  let said: string[]
  let tried: string[]
  const environment = { ...process.env }

  before(async () => {
    folder = join(directory.path, 'ytdlp')
    mkdirSync(join(directory.path, 'wheels'))
    index = await PackageIndex.start(releases, join(directory.path, 'wheels'))
    Object.assign(process.env, { PIP_CONFIG_FILE: '/dev/null', PIP_INDEX_URL: index.url, PIP_FIND_LINKS: '' })
  })
  after(async () => {
    process.env = environment
    await index[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    said = []
    tried = []
  })

  const upgrade = (channel: Channel, works = true) =>
    upgradeYtdlp({
      channel,
      folder,
      python,
      say: (line) => void said.push(line),
      selfTest: async (packages) => {
        tried.push(readFileSync(join(packages, 'yt_dlp.py'), 'utf8'))
        if (!works) throw new Error('youtube: no captions')
      },
    })
  const currentOf = (name: string): string => readFileSync(join(folder, 'current/packages', name), 'utf8')
  const hashed = (line: string): boolean => / \S+ → \S+ \(sha256:[0-9a-f]{64}\)$/.test(line)

  it('stable: installs releases that are a day old, with all companions, and reports before, after and hashes', async () => {
    await upgrade('stable')
    expect(tried).to.deep.equal(["version = '2099.1.1'\n"])
    expect(currentOf('yt_dlp.py')).to.include('2099.1.1')
    expect(currentOf('curl_cffi.py')).to.include('99.1')
    expect(said.filter(hashed).map((line) => line.replace(/ \S+ →|\(.*/g, '').trim())).to.have.members([
      'yt-dlp 2099.1.1',
      'certifi 2099.1.1',
      'curl-cffi 99.1',
      'bgutil-ytdlp-pot-provider 99.1',
    ])
  })

  it('a release that fails its test reaches no worker, and leaves nothing behind', async () => {
    expect(await upgrade('nightly', false).catch(String)).to.equal('Error: youtube: no captions')
    expect(tried).to.deep.equal(["version = '2099.1.3.1200.dev0'\n"])
    expect(currentOf('yt_dlp.py')).to.include('2099.1.1')
    expect(readdirSync(folder)).to.have.lengthOf(2)
  })

  it('nightly: installs pre-release builds, and keeps the one before for its running workers', async () => {
    const old = realpathSync(join(folder, 'current'))
    await upgrade('nightly')
    expect(currentOf('yt_dlp.py')).to.include('2099.1.3')
    expect(currentOf('curl_cffi.py')).to.include('99.2')
    expect(existsSync(join(old, 'packages/yt_dlp.py'))).to.equal(true)
  })

  it('previous: returns to the one before, and then to the newer one again', async () => {
    const back = () => takePrevious({ folder, say: (line) => void said.push(line) })
    await back()
    expect(currentOf('yt_dlp.py')).to.include('2099.1.1')
    expect(said.join()).to.match(/^yt-dlp 2099\.1\.1, as before/)
    await back()
    expect(currentOf('yt_dlp.py')).to.include('2099.1.3')
    expect(await takePrevious({ folder: directory.path, say: () => {} }).catch(String)).to.match(/is kept$/)
  })

  it('nothing newer: tests nothing', async () => {
    await upgrade('nightly')
    expect(tried).to.deep.equal([])
    expect(said).to.deep.equal(['yt-dlp 2099.1.3.1200.dev0: nothing newer (nightly)'])
  })

  it('offline: keeps the upgrade, unless this release pins another yt-dlp than it was made for', async () => {
    await index[Symbol.asyncDispose]()
    expect(await upgrade('stable').catch(String)).to.match(/^Error: pip: ERROR: /)
    expect(currentOf('yt_dlp.py')).to.include('2099.1.3')
    const list = join(folder, 'current/upgrade.json')
    writeFileSync(list, readFileSync(list, 'utf8').replace(/"pinned":"[^"]+"/, '"pinned":"2026.8.19"'))
    await upgrade('stable').catch(String)
    expect(existsSync(join(folder, 'current'))).to.equal(false)
  })

  it('pinned: workers use the yt-dlp of this release', async () => {
    await upgrade('pinned')
    expect(said.join()).to.match(/^yt-dlp 20\S+, as pinned in this release$/)
    expect(existsSync(join(folder, 'current'))).to.equal(false)
  })
})
