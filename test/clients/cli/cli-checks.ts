import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { Client as McpClient } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { nodes, pack } from '../packed/packed.ts'
import { printed } from '../programs.ts'

export type CliOptions = {
  /** An empty folder for the packed command line. */
  folder: string
  setting: SandboxSetting
  videos: { captioned: { url: string; title: string }; hidden: { url: string } }
}

type Ended = { code: number | null; out: string; told: string }
type Variables = Record<string, string>

const terminal = fileURLToPath(new URL('on_a_terminal.py', import.meta.url))

const expectSame = (what: string, found: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(found, expected)) throw new Error(`${what}: ${JSON.stringify(found)}`)
}

function expectMatch(what: string, found: string, expected: RegExp): void {
  if (!expected.test(found)) throw new Error(`${what}: ${JSON.stringify(found)} is not ${expected}`)
}

/** Runs a command to its end, whatever it is. `input`: its standard input, through a pipe. */
async function ended(command: string, words: readonly string[], env: Variables, input = ''): Promise<Ended> {
  const child = spawn(command, words, { env: { ...process.env, ...env } })
  child.stdin.end(input)
  const closed = new Promise<number | null>((settle, fail) => child.once('close', settle).once('error', fail))
  const [out, told, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), closed])
  return { code, out, told }
}

/** The installed command line, on one Node, for one person with settings of their own. */
class Cli {
  readonly #node: string
  readonly #program: string
  readonly env: Variables

  constructor(node: string, folder: string, env: Variables) {
    this.#node = node
    this.#program = join(folder, 'node_modules/video-intelligence-cli/dist/main.js')
    this.env = { VIDEO_INTELLIGENCE_API_KEY: '', VIDEO_INTELLIGENCE_BASE_URL: '', ...env }
  }

  get command(): string[] {
    return [this.#node, this.#program]
  }

  run(words: readonly string[], more: Variables = {}, input?: string): Promise<Ended> {
    return ended(this.#node, [this.#program, ...words], { ...this.env, ...more }, input)
  }

  /** The output of the command. @throws Error if the command fails */
  async out(...words: string[]): Promise<string> {
    const { code, out, told } = await this.run(words)
    if (code !== 0 || told !== '') throw new Error(`${words.join(' ')} ended with ${code}: ${told}`)
    return out
  }

  async json<T>(...words: string[]): Promise<T> {
    return JSON.parse(await this.out(...words)) as T
  }

  /** On a pseudo-terminal. `steps`: a text to wait for, and the keys to press then. */
  async onTerminal(steps: [string, string][], ...words: string[]): Promise<{ code: number; shown: string }> {
    const all = [terminal, JSON.stringify(steps), ...this.command, ...words]
    const { code, out, told } = await ended(resolve('.venv/bin/python'), all, this.env)
    if (code !== 0) throw new Error(told)
    const { left, ...found } = JSON.parse(out)
    if (left.length > 0) throw new Error(`it never showed ${left[0][0]}: ${found.shown}`)
    return found
  }
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

async function install(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const tarball = await pack('packages/cli', join(folder, 'packed'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'customer', private: true }))
  await printed(folder, 'npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball])
  const installed = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))
  expectSame('installed', installed, ['video-intelligence-cli'])
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  expectSame('its version', await new Cli(process.execPath, folder, {}).out('--version'), `${version}\n`)
  const licenses = await readFile(join(folder, 'node_modules/video-intelligence-cli/dist/LICENSES'), 'utf8')
  expectMatch('licenses', licenses, /^@modelcontextprotocol\/server \d[\s\S]*^zod \d/m)
  return tarball
}

/** `npx`, as a person types it in an empty folder. Its cache is in there, so nothing is found anywhere else. */
async function byNpx(tarball: string, words: readonly string[], env: Variables): Promise<string> {
  await using opened = new AsyncDisposableStack()
  const empty = opened.adopt(await mkdtemp(join(tmpdir(), 'cli-')), (path) => rm(path, { recursive: true }))
  const offline = { ...env, npm_config_cache: join(empty, 'cache'), npm_config_update_notifier: 'false' }
  return (
    await printed(
      empty,
      'npx',
      ['--yes', '--offline', '--package', tarball, 'video-intelligence-cli', ...words],
      offline,
    )
  ).stdout
}

/** Key and address are stored, and used by all that follows. */
async function logsIn(cli: Cli, base: string, key: string): Promise<void> {
  const { code, out, told } = await cli.run(['login', '--base-url', base], {}, `${key}\n`)
  expectSame('login', [code, out], [0, ''])
  expectMatch('login', told, /^Logged in to .* credits left\. Stored in .*login\.json\.\n$/)
  const folder = join(cli.env.XDG_CONFIG_HOME ?? '', 'video-intelligence')
  expectSame('modes', [await modeOf(folder), await modeOf(join(folder, 'login.json'))], ['700', '600'])
  const wrong = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`
  const refused = await cli.run(['login', '--base-url', base], {}, `${wrong}\n`)
  expectSame('a wrong key', refused.code, 3)
  expectSame('the key in use', (await cli.json<{ baseUrl: string }>('me')).baseUrl, base)
}

type Videos = CliOptions['videos']

async function answers(cli: Cli, folder: string, { captioned }: Videos): Promise<void> {
  const { url } = captioned
  const native = ['--mode', 'native']
  expectMatch('SRT', await cli.out('transcript', url, ...native, '--format', 'srt'), /^1\n00:00:00,000 --> 00:00:0/)
  const { segments } = await cli.json<{ segments: unknown[] }>('transcript', url, ...native, '--reuse')
  expectSame('segments', segments.length > 1, true)
  const file = join(folder, 'film.vtt')
  expectSame('nothing but the file', await cli.out('transcript', url, ...native, '-o', file), '')
  expectMatch('VTT', await readFile(file, 'utf8'), /^WEBVTT\n/)
  expectSame('title', (await cli.json<{ title: string }>('metadata', url)).title, captioned.title)
  const found = await cli.json<{ url: string }[]>('search', 'garden', 'beans', '--limit', '2')
  expectSame('found', found.length > 0, true)
  const schema = join(folder, 'schema.json')
  const properties = { people: { type: 'array', items: { type: 'string' } } }
  await writeFile(schema, JSON.stringify({ type: 'object', properties, required: ['people'] }))
  const extracted = await cli.json<{ people: unknown }>('extract', url, '--schema', schema)
  expectSame('extracted', Array.isArray(extracted.people), true)
  const shell = `"$0" "$1" metadata '${url}' | head -c 2`
  expectSame('a reader that ends first', await ended('sh', ['-c', shell, ...cli.command], cli.env), {
    ...{ code: 0, out: '{\n', told: '' },
  })
}

async function runsBatches(cli: Cli, folder: string, { captioned, hidden }: Videos): Promise<void> {
  const file = join(folder, 'videos.csv')
  await writeFile(file, `title,url\nA,${captioned.url}\nB,${hidden.url}\n`)
  const words = ['batch', file, '--mode', 'native']
  const first = await cli.run(words)
  expectSame('a batch with a hidden video', first.code, 8)
  expectMatch('a batch', first.told, /^1 of 2 videos have no result \(batch [0-9a-f-]+: completed\)\.\n$/)
  const items = first.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expectSame(
    'items',
    items.map(({ state, code }) => [state, code]),
    [
      ['completed', null],
      ['failed', 'video_private'],
    ],
  )
  expectSame('the same batch again', (await cli.run(words)).told, first.told)
  const urls = await cli.run(['batch', '-', '--mode', 'native'], {}, `${captioned.url}\n`)
  expectSame('a batch of lines', [urls.code, urls.out.trim().split('\n').length], [0, 1])
  const wrong = await cli.run(['batch', '-'], {}, `\n${captioned.url}\nhttps://\n`)
  expectSame('a wrong line', wrong.code, 2)
  expectMatch('a wrong line', wrong.told, /^invalid_request: line 3 .*: https:\/\/\n/)
}

async function watches(cli: Cli): Promise<void> {
  const added = await cli.json<{ watchId: string }>('watch', 'add', '@novelhour', '--every', '1d')
  const listed = await cli.json<{ watchId: string }[]>('watch', 'list')
  expectSame(
    'watches',
    listed.map(({ watchId }) => watchId),
    [added.watchId],
  )
  expectSame('paused', (await cli.json<{ status: string }>('watch', 'pause', added.watchId)).status, 'paused')
  await cli.out('watch', 'delete', added.watchId)
  expectSame('no watches', await cli.json('watch', 'list'), [])
}

async function endsByKind(cli: Cli, { captioned, hidden }: Videos, poor: Variables): Promise<void> {
  const codes: [string[], Variables, number, RegExp][] = [
    [['transcript'], {}, 2, /^usage: the URL of a video is missing\n/],
    [['me'], { VIDEO_INTELLIGENCE_API_KEY: 'ma_none' }, 3, /^unauthorized: .*\n`video-intelligence-cli login`/],
    [['transcript', captioned.url, '--mode', 'native'], poor, 4, /^forbidden: .*credit.*\n/],
    [['transcript', hidden.url, '--mode', 'native'], {}, 5, /^video_private: /],
    [['metadata', hidden.url], {}, 5, /^not_found \(video_private\): /],
  ]
  for (const [words, env, code, told] of codes) {
    const found = await cli.run(words, env)
    expectSame(words.join(' '), [found.code, found.out], [code, ''])
    expectMatch(words.join(' '), found.told, told)
  }
}

/** Ctrl-C ends the wait for a batch, and the same command again continues. */
async function leavesBatches(cli: Cli, { folder, setting, videos }: CliOptions): Promise<void> {
  const file = join(folder, 'left.txt')
  await writeFile(file, `${videos.captioned.url}\n`)
  // Each Node makes a batch of its own.
  const words = ['batch', file, '--mode', 'generate', '--vocabulary', cli.command[0] ?? '']
  const held = Promise.withResolvers<void>()
  setting.speech.behaviour = { held: held.promise }
  const left = await cli.onTerminal([['0 of 1 videos', '\u0003']], ...words)
  held.resolve()
  setting.speech.behaviour = {}
  expectSame('Ctrl-C', left.code, 130)
  const [, batchId = ''] = /\[KBatch ([0-9a-f-]+) continues\. /.exec(left.shown) ?? []
  const { code, out } = await cli.run(words)
  expectSame('continued', [code, JSON.parse(out).state], [0, 'completed'])
  expectSame('by its id', (await cli.run(['batch', '--id', batchId])).out, out)
}

async function onTerminal(cli: Cli, { folder, setting, videos }: CliOptions, key: string): Promise<void> {
  const { url, title } = videos.captioned
  const read = await cli.onTerminal([], 'transcript', url, '--mode', 'native')
  expectSame('on a terminal', read.code, 0)
  expectMatch('progress', read.shown, /Requesting · 0 s/)
  expectMatch('text', read.shown, /\[KAnd Mr\. John Dashwood/)
  const metadata = await cli.onTerminal([], 'metadata', url)
  expectMatch('lines', metadata.shown, new RegExp(`  title +${title}\\r\\n`))
  setting.speech.behaviour = { hang: true }
  const stopped = await cli.onTerminal([['Transcribing', '\u0003']], 'transcript', url, '--mode', 'generate')
  setting.speech.behaviour = {}
  expectSame('Ctrl-C', stopped.code, 130)
  expectMatch('Ctrl-C', stopped.shown, /\[KJob [0-9a-f-]+ was cancelled, and is refunded\.\r\n$/)
  const fresh = new Cli(process.execPath, folder, { XDG_CONFIG_HOME: join(folder, 'typed') })
  const { base } = setting.service
  const typed = await fresh.onTerminal(
    [
      [']: ', `${base}\r`],
      ['API key: ', `${key}\r`],
    ],
    'login',
  )
  expectSame('typed login', typed.code, 0)
  expectSame('the key is not shown', typed.shown.includes(key), false)
}

async function servesTools({ command, env }: Cli, url: string): Promise<void> {
  const [program = '', ...args] = command
  await using opened = new AsyncDisposableStack()
  const host = opened.adopt(new McpClient({ name: 'a-test', version: '1' }), (one) => one.close())
  const all = { ...(process.env as Variables), ...env }
  await host.connect(new StdioClientTransport({ command: program, args: [...args, 'mcp'], env: all }))
  const { tools } = await host.listTools()
  expectSame('tools', tools.map(({ name }) => name).sort(), [
    ...['extract_from_video', 'get_instagram_profile', 'get_tiktok_profile', 'get_video_metadata'],
    'get_video_transcript',
  ])
  for (const [name, given] of [
    ['get_video_metadata', { url }],
    ['get_video_transcript', { url, mode: 'native' }],
  ] as const) {
    const { isError, structuredContent } = await host.callTool({ name, arguments: given })
    expectSame(name, [isError ?? false, structuredContent !== undefined], [false, true])
  }
}

/** The checks of the packed command line, in order. */
export function cliChecks(options: CliOptions): { title: string; run(): Promise<void> }[] {
  const { folder, setting, videos } = options
  const { base } = setting.service
  const made = { tarball: '', key: '' }
  const on = (node: string): Cli =>
    new Cli(node, folder, { XDG_CONFIG_HOME: join(folder, `settings-${nodeName(node)}`) })
  const nodeName = (node: string): string => (node === process.execPath ? 'own' : 'system')
  const onEach = async (work: (cli: Cli) => Promise<void>): Promise<void> => {
    for (const node of await nodes()) await work(on(node))
  }
  return [
    {
      title: 'packages/cli is packed, and installs without a dependency',
      async run() {
        made.tarball = await install(folder)
        made.key = (await setting.client({ plan: 'pro', credits: 500 })).key
      },
    },
    {
      title: '`npx` of the packed command line prints SRT in an empty folder',
      async run() {
        const env = { VIDEO_INTELLIGENCE_API_KEY: made.key, VIDEO_INTELLIGENCE_BASE_URL: base }
        const words = ['transcript', videos.captioned.url, '--mode', 'native', '--format', 'srt']
        expectMatch('SRT', await byNpx(made.tarball, words, env), /^1\n00:00:00,000 --> /)
      },
    },
    {
      title: 'login stores key and address for their owner alone',
      run: () => onEach((cli) => logsIn(cli, base, made.key)),
    },
    {
      title: 'transcript, metadata, search and extract answer in a pipe and in files, on each Node of this machine',
      run: () => onEach((cli) => answers(cli, folder, videos)),
    },
    {
      title: 'batch reads tables and lines, and is resumed',
      run: () => onEach((cli) => runsBatches(cli, folder, videos)),
    },
    { title: 'watch adds, lists, pauses and deletes', run: () => watches(on(process.execPath)) },
    {
      title: 'the exit code says what kind of error it was',
      async run() {
        const { key } = await setting.client({ credits: 0 })
        await onEach((cli) => endsByKind(cli, videos, { VIDEO_INTELLIGENCE_API_KEY: key }))
      },
    },
    {
      title: 'a terminal shows progress and text, Ctrl-C cancels the job, login hides the key',
      run: () => onEach((cli) => onTerminal(cli, options, made.key)),
    },
    {
      title: 'Ctrl-C leaves a batch running, and the same command continues',
      run: () => onEach((cli) => leavesBatches(cli, options)),
    },
    {
      title: 'mcp serves five tools to a host, and calls work',
      run: () => onEach((cli) => servesTools(cli, videos.captioned.url)),
    },
  ]
}
