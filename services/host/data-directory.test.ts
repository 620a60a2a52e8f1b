import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Service } from '#test/doubles/service/service.ts'

/** The modes of everything below a folder, by path. */
async function modesBelow(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true })
  const modeOf = async (name: string): Promise<[string, string][]> => {
    // A service that runs removes files as well.
    const found = await stat(join(folder, name)).catch(() => undefined)
    return found === undefined ? [] : [[name, (found.mode & 0o777).toString(8)]]
  }
  return Object.fromEntries((await Promise.all(names.map(modeOf))).flat())
}

const open = new URL('./data-directory.ts', import.meta.url).href

/** In a process of its own, because the umask applies to a whole process. */
async function openInProcess(directory: string, then = ''): Promise<void> {
  const code = `import { openDataDirectory } from ${JSON.stringify(open)}
    const data = await openDataDirectory(${JSON.stringify(directory)})
    ${then}`
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
}

describe('the data directory', function () {
  this.timeout(120_000)
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'data-directory-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is made for its owner only', async () => {
    const directory = join(folder, 'deep', 'data')
    await openInProcess(directory)
    expect(await modesBelow(folder)).to.deep.equal({
      deep: '700',
      'deep/data': '700',
      'deep/data/media': '700',
      'deep/data/tmp': '700',
    })
  })

  it('tightens the modes of the service’s own files in it, and of no others', async () => {
    const files = [
      'events.sqlite',
      'events.sqlite-wal',
      'views.sqlite',
      'views.sqlite.damaged',
      'accounts.sqlite',
      'accounts.sqlite-wal',
      'lock',
      'notes-of-others',
    ]
    for (const name of files) await writeFile(join(folder, name), '')
    for (const name of files) await chmod(join(folder, name), 0o644)
    await mkdir(join(folder, 'media'))
    await chmod(join(folder, 'media'), 0o755)
    await chmod(folder, 0o755)
    await openInProcess(folder)
    expect(await modesBelow(folder)).to.deep.equal({
      'events.sqlite': '600',
      'events.sqlite-wal': '600',
      'views.sqlite': '600',
      'views.sqlite.damaged': '600',
      'accounts.sqlite': '600',
      'accounts.sqlite-wal': '600',
      lock: '600',
      'notes-of-others': '644',
      media: '700',
      tmp: '700',
    })
    expect((await stat(folder)).mode & 0o777).to.equal(0o755)
  })

  it('made before with 0755 gets no files that others can read, from `npm run org` or the service', async () => {
    await using service = await Service.prepare()
    await mkdir(service.dataDir, { recursive: true })
    await chmod(service.dataDir, 0o755)
    const ofOthers = (modes: Record<string, string>) => Object.entries(modes).filter(([, mode]) => !mode.endsWith('00'))
    const { code, stderr } = await service.org('create', 'Somebody', '--json')
    expect(code, stderr).to.equal(0)
    const written = await modesBelow(service.dataDir)
    expect(written).to.include.keys('events.sqlite')
    expect(ofOthers(written)).to.deep.equal([])
    await service.start()
    const served = await modesBelow(service.dataDir)
    const files = ['events', 'views', 'accounts'].flatMap((name) => [`${name}.sqlite`, `${name}.sqlite-wal`])
    expect(served).to.include.keys(...files, 'lock')
    expect(ofOthers(served)).to.deep.equal([])
  })
})
