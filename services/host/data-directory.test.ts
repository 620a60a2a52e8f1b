import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Service } from '#test/doubles/service/service.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'

/** The modes of everything below a folder, by path. */
async function modesBelow(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true })
  const modeOf = async (name: string): Promise<[string, string][]> => {
    // The file may be gone, because a running service removes files.
    const found = await stat(join(folder, name)).catch(() => undefined)
    return found === undefined ? [] : [[name, (found.mode & 0o777).toString(8)]]
  }
  return Object.fromEntries((await Promise.all(names.map(modeOf))).flat())
}

const open = new URL('./data-directory.ts', import.meta.url).href

/** Runs a command without root's right to write everywhere. Another user could not read this project. */
const asAnybody =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override'] : []

/** Runs in its own process, because the umask applies to a whole process. @param before a command that starts it */
async function openInProcess(directory: string, then = '', before: readonly string[] = []): Promise<void> {
  const code = `import { openDataDirectory } from ${JSON.stringify(open)}
    const data = await openDataDirectory(${JSON.stringify(directory)})
    ${then}`
  const [program = '', ...words] = [...before, process.execPath, '--input-type=module', '-e', code]
  await promisify(execFile)(program, words)
}

/**
 * The message when the directory cannot be used, the seconds until it came, and the seconds until the process ended.
 */
async function refusalOf(directory: string, before?: readonly string[]): Promise<{ said: string; seconds: number }> {
  const begun = performance.now()
  const said = await openInProcess(directory, '', before).then(
    () => 'it was opened',
    ({ stderr }: { stderr: string }) => /^\w*Error.*/m.exec(stderr)?.[0] ?? stderr,
  )
  return { said, seconds: (performance.now() - begun) / 1000 }
}

describe('the data directory', function () {
  this.timeout(120_000)
  const place = directoryForEach()

  it('is made for its owner only', async () => {
    const directory = join(place.path, 'deep', 'data')
    await openInProcess(directory)
    expect(await modesBelow(place.path)).to.deep.equal({
      deep: '700',
      'deep/data': '700',
      'deep/data/media': '700',
      'deep/data/tmp': '700',
    })
  })

  it('tightens the modes of the service’s own files, and of no others', async () => {
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
    for (const name of files) await writeFile(join(place.path, name), '')
    for (const name of files) await chmod(join(place.path, name), 0o644)
    await mkdir(join(place.path, 'media'))
    await chmod(join(place.path, 'media'), 0o755)
    await chmod(place.path, 0o755)
    await openInProcess(place.path)
    expect(await modesBelow(place.path)).to.deep.equal({
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
    expect((await stat(place.path)).mode & 0o777).to.equal(0o755)
  })

  describe('that cannot be used is refused, and the process ends at once', () => {
    /** The time that a Node process may take to start and end on a busy machine, seconds. */
    const SOON = 10

    it('if there is a file at its path or above it', async () => {
      const file = join(place.path, 'file')
      await writeFile(file, '')
      for (const path of [file, join(file, 'data')]) {
        const { said, seconds } = await refusalOf(path)
        expect(said)
          .to.contain('DATA_DIR cannot be used: ')
          .and.to.contain(file)
          .and.to.contain('a file where a folder')
        expect(seconds).to.be.below(SOON)
      }
      expect((await stat(file)).size).to.equal(0)
    })

    it('if this user must not write there; existing files stay as they are', async () => {
      const data = join(place.path, 'data')
      for (const name of ['media', 'tmp']) await mkdir(join(data, name), { recursive: true })
      await chmod(data, 0o555)
      for (const path of [data, join(data, 'deeper')]) {
        const { said } = await refusalOf(path, asAnybody)
        expect(said).to.match(/DATA_DIR cannot be used: this user \(\d+\) must not write to/)
      }
      expect((await readdir(data)).sort()).to.deep.equal(['media', 'tmp'])
      await chmod(data, 0o755)
    })

    it('if it does not answer, like an unavailable mount', async () => {
      // Opening the pipe blocks until a writer opens it, which never happens.
      await promisify(execFile)('mkfifo', [join(place.path, 'lock')])
      const { said, seconds } = await refusalOf(place.path)
      expect(said).to.contain(`DATA_DIR cannot be used: ${place.path} has not answered within a second`)
      expect(seconds).to.be.within(1, SOON)
    })
  })

  it('made earlier with 0755 gets no files that others can read, from `npm run org` or the service', async () => {
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
