/** Every example of the documents, unchanged, on the service that they name: `npm start -- --sandbox`. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'chai'
import { decodeHTML } from 'entities'
import { type RunningService, startService } from '#ops/demo/service.ts'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { connectedHost } from '#test/doubles/mcp/connected-host.ts'
import { project, structureOf } from '#test/doubles/mcp/mcp.harness.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { withCurl } from '#test/runner/with-curl.ts'

const video = 'https://www.youtube.com/watch?v=nvlHourCh01'

/** Blocks that run elsewhere. */
const runElsewhere = new Map([
  ['ops/setup && npm run demo\nnpm start -- --sandbox', '.ci/run does, and this service was started so'],
  [
    'docker build --file ops/Dockerfile --tag video-intelligence .\ndocker run --detach --name video -p 127.0.0.1:8080:8080 -v data:/data video-intelligence',
    'ops/image-serves.test.ts starts what the image has',
  ],
])

const machine = machineEnvironment()

type Block = { language: string; code: string }

/** The code blocks of a Markdown document that name their language. */
const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }))

/** The arguments of `claude mcp add`: a stand-in for it prints them. */
const CLAUDE = '#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done\n'

type Example = { value: unknown }
type Operation = {
  parameters?: {
    name: string
    in: string
    required?: boolean
    example?: unknown
    examples?: Record<string, Example>
  }[]
  requestBody?: { content: { 'application/json': { example?: unknown; examples?: Record<string, Example> } } }
}

const valuesOf = ({ example, examples = {} }: { example?: unknown; examples?: Record<string, Example> }): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
]

describe('the examples of the documents', function () {
  this.timeout(120_000)
  const opened = new AsyncDisposableStack()
  let folder: string
  let service: RunningService
  let key: string

  before(async () => {
    folder = opened.use(await temporaryDirectory()).path
    const env = { ...machine, DATA_DIR: join(folder, 'data'), PORT: '0' }
    service = opened.use(await startService({ env, args: ['--sandbox'], logFile: join(folder, 'service.log') }))
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin/claude'), CLAUDE)
    await chmod(join(folder, 'bin/claude'), 0o755)
    key = await firstKey()
  })
  after(() => opened.disposeAsync())

  /** A document with the address of this service, and the folder of this project. */
  const read = async (path: string): Promise<string> => here(await readFile(path, 'utf8'))
  const here = (text: string): string =>
    text.replaceAll('http://127.0.0.1:8080', service.base).replaceAll('/opt/video-intelligence', project)

  const run = (command: string, ...words: string[]): Promise<{ stdout: string; stderr: string }> => {
    const env = {
      ...{ ...machine, PATH: `${join(folder, 'bin')}:${machine.PATH}`, KEY: key },
      ...{ DATA_DIR: join(folder, 'data'), PORT: new URL(service.base).port },
    }
    return promisify(execFile)(command, words, { cwd: project, env, timeout: 60_000 })
  }
  const shell = (code: string) => run('bash', '-euo', 'pipefail', '-c', code)

  async function firstKey(): Promise<string> {
    const making = blocksOf(await read('README.md')).find(({ code }) => code.includes('npm run --silent org'))
    const [line] = making?.code.split('\n') ?? []
    const { stdout, stderr } = await shell(`${line}; echo "$KEY"`)
    expect(stderr, 'it speaks to this service').to.contain(service.base).and.to.not.contain('WARNING')
    return stdout.trim()
  }

  const call = (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') =>
    fetch(service.base + path, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', prefer: 'wait=30' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  /** Requests a job and waits for its end. */
  async function endOf(path: string, body: unknown): Promise<string> {
    const accepted = await call(path, body)
    // 200 if the job has ended by then, because the request waits for it.
    expect([200, 202], await accepted.clone().text()).to.include(accepted.status)
    const at = accepted.headers.get('location') ?? ''
    return until(`${at} has ended`, async () => {
      const { status } = (await (await call(at)).json()) as { status: string }
      return status !== 'queued' && status
    })
  }

  /** Reads a video through a host with this configuration. */
  async function useTools(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<void> {
    await using host = await connectedHost(transport)
    const answer = await host.callTool({ name: 'get_video_metadata', arguments: { url: video } })
    expect(structureOf(answer)).to.include({ platform: 'youtube' })
  }

  const overHttp = (url: string, headers: Record<string, string>) =>
    useTools(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))

  const overStdio = (command: string, args: string[], given: Record<string, string>) => {
    const env = { ...machine, npm_config_cache: join(folder, 'npm'), ...given }
    return useTools(new StdioClientTransport({ command, args, env, cwd: folder, stderr: 'ignore' }))
  }

  /** Each `claude mcp add` of a block. Without an address of its own, the tool server would ask port 8080. */
  async function addToClaude(code: string): Promise<void> {
    for (const command of code.split('\n').filter((line) => line.startsWith('claude '))) {
      const words = (await shell(command)).stdout.trim().split('\n')
      expect(words.slice(0, 2)).to.deep.equal(['mcp', 'add'])
      const wordAfter = (name: string): string => words[words.indexOf(name) + 1] ?? ''
      const pair = (text: string, sign: string) => ({ [text.split(sign)[0] ?? '']: text.split(sign)[1]?.trim() ?? '' })
      if (words.includes('--transport'))
        await overHttp(wordAfter('video-intelligence'), pair(wordAfter('--header'), ':'))
      else {
        const [program = '', ...rest] = words.slice(words.indexOf('--') + 1)
        const env = { ...pair(wordAfter('-e'), '='), VIDEO_INTELLIGENCE_BASE_URL: service.base }
        await overStdio(program, rest, env)
      }
    }
  }

  withCurl(() => {
    it('of README.md work by copy and paste', async () => {
      const blocks = blocksOf(await read('README.md')).filter(({ language }) => language === 'sh')
      expect(blocks.length).to.be.greaterThan(3)
      for (const { code } of blocks.filter(({ code }) => !runElsewhere.has(code.replace(/ +#.*/g, '').trim()))) {
        if (code.startsWith('claude ')) await addToClaude(code)
        else {
          const { stdout } = await shell(code)
          const job = JSON.parse(stdout)
          expect(job).to.include({ status: 'completed', error: null })
          expect(job.resultJson.text).to.match(/^And Mr\. John Dashwood/)
        }
      }
    })
  })

  it('of README.md run by the clients; test/clients installs the packages themselves', async () => {
    const blocks = blocksOf(await read('README.md'))
    const codeIn = (wanted: string): string => blocks.find(({ language }) => language === wanted)?.code ?? ''
    const typed = codeIn('ts').replace("'video-intelligence'", "'#packages/client/index.ts'")
    const ts = await run(process.execPath, '--import', 'tsx/esm', '--input-type=module', '-e', typed)
    expect(ts.stdout).to.contain('And Mr. John Dashwood')
    // httpx comes with `ops/setup --dev`.
    if (!(await run('.venv/bin/python', '-c', 'import httpx').catch(() => undefined))) return
    const path = `import sys; sys.path.insert(0, 'packages/client-python/src')\n`
    const python = await run('.venv/bin/python', '-c', path + codeIn('python'))
    expect(python.stdout).to.contain('And Mr. John Dashwood')
  })

  it('of services/mcp/README.md give a host the tools', async () => {
    const blocks = blocksOf(await read('services/mcp/README.md'))
    expect(blocks.map(({ language }) => language)).to.deep.equal(['sh', 'json', 'json', 'json'])
    const filled = (text: string): string => text.replaceAll('ma_…', key).replaceAll(/\$\{input:\w+\}/g, key)
    const set = blocks.map(async ({ language, code }) => {
      if (language === 'sh') return addToClaude(code)
      const { mcpServers, servers } = JSON.parse(filled(code))
      const { command, args, env, url, headers } = (mcpServers ?? servers)['video-intelligence']
      return command === undefined ? overHttp(url, headers) : overStdio(command, args, env)
    })
    await Promise.all(set)
  })

  it('of packages/client/README.md run; test/clients installs the package itself', async () => {
    const blocks = blocksOf(await read('packages/client/README.md'))
    expect(blocks.map(({ language }) => language)).to.deep.equal(['sh', 'ts', 'ts'])
    const code = blocks[1]?.code.replace("'video-intelligence'", "'#packages/client/index.ts'") ?? ''
    const words = ['--import', 'tsx/esm', '--input-type=module', '-e', code]
    const { stdout } = await run(process.execPath, ...words)
    expect(stdout).to.contain('And Mr. John Dashwood').and.to.contain('facts: {')
  })

  withCurl(() => {
    it('of the quickstart run in each language, on its page and in /llms.txt', async () => {
      const [page, llms] = await Promise.all(
        ['/docs/guides/quickstart', '/llms.txt'].map(async (path) => (await fetch(service.base + path)).text()),
      )
      const shown = [...(page ?? '').matchAll(/<code class="language-(\w+)">(.*?)<\/code>/gs)].map(
        ([, language = '', code = '']) => ({ language, code: decodeHTML(code).trimEnd() }),
      )
      const programs = shown.filter(({ code }) => code.includes(`${service.base}`))
      expect(programs.map(({ language }) => language)).to.deep.equal(['sh', 'python', 'ts'])
      for (const { code } of programs) expect(llms).to.contain(code)
      const running = programs.map(async ({ language, code }) => {
        if (language === 'sh') return shell(code)
        const file = join(folder, `transcript.${language === 'ts' ? 'mts' : 'py'}`)
        await writeFile(file, code)
        return run(language === 'ts' ? process.execPath : 'python3', file)
      })
      for (const { stdout } of await Promise.all(running)) expect(stdout).to.contain('And Mr. John Dashwood')
    })

    it('of the guides are answered with success', async () => {
      // An organization of its own: the examples of the others leave too few credits.
      const making = 'npm run --silent org -- create Guides --plan starter --sandbox --json'
      const [own = ''] = /ma_\w+/.exec((await shell(making)).stdout) ?? []
      const headers = { 'x-api-key': own, 'content-type': 'application/json', prefer: 'wait=30' }
      const asked = { method: 'POST', headers, body: JSON.stringify({ url: video, mode: 'native' }) }
      const { jobId } = (await (await fetch(`${service.base}/v1/transcript`, asked)).json()) as { jobId: string }
      const names = `export KEY=${own} JOB_ID=${jobId}`
      // Those of batches, watches and webhooks are also in the interface document, or call hosts outside.
      for (const name of ['authentication', 'jobs', 'formats', 'credits']) {
        const page = await (await fetch(`${service.base}/docs/guides/${name}`)).text()
        const blocks = [...page.matchAll(/<code class="language-sh">(.*?)<\/code>/gs)].map(([, code = '']) =>
          decodeHTML(code),
        )
        expect(blocks.length, name).to.be.greaterThan(0)
        for (const code of blocks) {
          // An error object begins like this, whatever the format of successful answers.
          const { stdout } = await shell(`${names}; ${code}`)
          expect([stdout.length > 0, stdout.startsWith('{"error":')], `${code} ${stdout}`).to.deep.equal([true, false])
        }
      }
    })
  })

  it('of /openapi.json are answered with success, and their jobs complete', async () => {
    const { paths } = (await (await call('/openapi.json')).json()) as {
      paths: Record<string, Record<string, Operation>>
    }
    const gets = Object.entries(paths).flatMap(([path, { get }]) => {
      const parameters = (get?.parameters ?? []).filter((parameter) => parameter.in === 'query')
      const required = parameters.filter((parameter) => parameter.required)
      const always = Object.fromEntries(required.map((parameter) => [parameter.name, `${valuesOf(parameter)[0]}`]))
      return parameters.flatMap((parameter) =>
        valuesOf(parameter).map(
          (value) => `${path}?${new URLSearchParams({ ...always, [parameter.name]: `${value}` })}`,
        ),
      )
    })
    // Those of webhooks would call hosts outside. Their own scenario tests them.
    const called = Object.entries(paths).filter(([path]) => !path.startsWith('/v1/webhooks'))
    const posts = called.flatMap(([path, { post }]) =>
      valuesOf(post?.requestBody?.content['application/json'] ?? {}).map((body) => ({ path, body })),
    )
    expect([gets.length, posts.length]).to.deep.equal([10, 10])
    // One after the other, because an organization may have few reads at once.
    for (const path of gets) {
      const answer = await call(path)
      const text = await answer.text()
      expect([answer.status, text.length > 2], `${path} ${text}`).to.deep.equal([200, true])
    }
    await Promise.all(
      posts.map(async ({ path, body }) => {
        if (path === '/v1/keys' || path === '/v1/watches') expect((await call(path, body)).status).to.equal(201)
        else if (path === '/v1/batches') expect((await call(path, body)).status).to.equal(202)
        else if (path === '/v1/estimate') expect((await call(path, body)).status).to.equal(200)
        else expect(await endOf(path, body), `${path} ${JSON.stringify(body)}`).to.equal('completed')
      }),
    )
  })
})
