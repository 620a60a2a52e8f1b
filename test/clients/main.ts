/**
 * `npm run test:clients`: generates clients from /openapi.json of a running service, in TypeScript and in Python, as
 * customers do, and works with each: a transcript, a job that fails, and a refused lookup. The generators may not
 * complain. Then it verifies a webhook with the public libraries, tries the schemas that schema generators write, and
 * packs our own clients and the command line, and uses them as a customer would. The last line is `N passed, N failed,
 * N skipped`; exits 1 if anything failed.
 */
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { SandboxWorld } from '#services/sandbox/world.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { cliChecks } from './cli/cli-checks.ts'
import { packedChecks } from './packed/packed.ts'
import { packedPythonChecks, pythonTools } from './packed-python/packed-python.ts'
import { compilerOptions, printed } from './programs.ts'
import { checkSchemas, olderPydantics } from './schemas/schema-checks.ts'
import { receivingSite, signedMessage } from './webhooks/signed-message.ts'

/** The folder into which `ops/setup --dev` installs the generators. */
const installed = { typescript: resolve('.clients'), python: resolve('.venv/bin') }
const generators = [
  `${installed.typescript}/node_modules/.bin/openapi-typescript`,
  `${installed.typescript}/node_modules/standardwebhooks`,
  `${installed.python}/openapi-python-client`,
  ...Object.values(pythonTools),
  ...olderPydantics.map((name) => `${installed.typescript}/${name}/pydantic`),
]

const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/**
 * Runs a command.
 * @returns everything that it prints
 * @throws Error with its output if it fails
 */
async function output(folder: string, command: string, words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await printed(folder, command, words)
  return `${stdout}${stderr}`
}

/** Runs a command with variables. @returns its standard output alone */
const printedIn = (folder: string) => async (command: string, words: readonly string[], more: Record<string, string>) =>
  (await printed(folder, command, words, more)).stdout

const captioned = youtubeVideos.find(({ trouble, captions }) => trouble === undefined && captions.length > 0)
const hidden = youtubeVideos.find(({ trouble }) => trouble === 'private')
if (captioned === undefined || hidden === undefined) throw new Error('the sandbox has no such videos')
const videos = { captioned, hidden }

/** Settings of a customer's project, by file. */
const settingsFiles = {
  'package.json': { type: 'module' },
  'tsconfig.json': {
    compilerOptions,
    files: ['program.ts'],
  },
  // Generated code is not formatted. The generator has to be configured for bodies other than JSON, forms and bytes:
  // lines and tables of a batch are sent as bytes.
  'python.json': {
    post_hooks: [],
    content_type_overrides: {
      'application/x-ndjson': 'application/octet-stream',
      'text/csv': 'application/octet-stream',
    },
  },
}

/** The arguments of each program, in any language. */
const expected = (base: string) => ({
  segments: videos.captioned.captions[0]?.cues.length,
  source: 'captions',
  failure: 'video_private',
  error: 'not_found',
  code: 'video_private',
  documentationUrl: `${base}/docs/errors#video_private`,
})

/** The sandbox's model, for the examples of the README and the command line. */
const withModel = ({ modelsUrl }: SandboxWorld) => ({ LLM_BASE_URL: modelsUrl, LLM_MODEL: 'sandbox-stand-in' })

type Check = { title: string; run(): Promise<void> }

/** The checks, in order. @param folder is below .clients, so that programs find its packages */
function checksIn(folder: string, base: string, key: string): Check[] {
  const urls = { captioned: videos.captioned.url, hidden: videos.hidden.url }
  const words = [base, key, urls.captioned, urls.hidden]
  const { segments, source, failure, error, code } = expected(base)
  const got = { segments, source, timeline: ['accepted', true], failure, error, code }
  const inTypeScript = (name: string, ...rest: string[]) =>
    output(folder, process.execPath, [`../node_modules/${name}`, ...rest])
  const expectTold = (text: string): void => {
    if (!isDeepStrictEqual(JSON.parse(text), expected(base))) throw new Error(`it printed ${text}`)
  }
  return [
    {
      title: 'openapi-typescript writes types',
      async run() {
        const told = await inTypeScript('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'openapi.d.ts')
        if (/warn|error/i.test(told)) throw new Error(told)
      },
    },
    {
      title: 'TypeScript 5 finds no error in a program on these types',
      async run() {
        await inTypeScript('typescript/bin/tsc', '--project', '.')
      },
    },
    {
      title: 'the client in TypeScript runs jobs and reads errors',
      run: async () => expectTold(await output(folder, process.execPath, ['program.ts', ...words])),
    },
    {
      title: 'openapi-python-client writes a client, and warns of nothing',
      async run() {
        const options = ['--path', 'openapi.json', '--output-path', 'generated', '--meta', 'none', '--fail-on-warning']
        const command = join(installed.python, 'openapi-python-client')
        const told = await output(folder, command, ['generate', ...options, '--config', 'python.json'])
        if (/warning|error/i.test(told)) throw new Error(told)
      },
    },
    {
      title: 'the client in Python runs jobs and reads errors',
      run: async () => expectTold(await output(folder, join(installed.python, 'python'), ['program.py', ...words])),
    },
    {
      title: '`standardwebhooks` of npm and of PyPI verify a message by either secret',
      async run() {
        for (const [command, name] of [
          [process.execPath, 'verify.ts'],
          [join(installed.python, 'python'), 'verify.py'],
        ] as const) {
          const told = await output(folder, command, [name, 'message.json'])
          if (told.trim() !== 'verified') throw new Error(`${name}: ${told}`)
        }
      },
    },
    {
      title: 'schemas by Pydantic, Zod, TypeBox, Valibot and OpenAI’s helper mean what their generators mean',
      async run() {
        const count = await checkSchemas(folder, join(installed.python, 'python'), printedIn(folder))
        console.log(`  ${count} schemas, each with a value that fits and one that does not`)
      },
    },
    ...packedChecks({
      ...{ folder: join(folder, 'customer'), base, key, videos: urls },
      compilers: [
        ['TypeScript 5', join(installed.typescript, 'node_modules/typescript/bin/tsc')],
        ['TypeScript 7', resolve('node_modules/typescript/bin/tsc')],
      ],
      expected: got,
    }),
    ...packedPythonChecks({
      ...{ folder: join(folder, 'customer-in-python'), base, key, videos: urls },
      messageFile: join(folder, 'message.json'),
      expected: got,
    }),
  ]
}

/** @returns whether all passed; after a failure the rest is skipped, because each check builds on the previous one */
async function main(): Promise<boolean> {
  await using opened = new AsyncDisposableStack()
  const receiver = receivingSite()
  const setting = opened.use(await SandboxSetting.start({ also: [receiver], env: withModel }))
  const folder = opened.adopt(await mkdtemp(join(installed.typescript, 'run-')), (path) =>
    rm(path, { recursive: true }),
  )
  const { base } = setting.service
  const { key } = await setting.client()
  await writeFile(join(folder, 'openapi.json'), await (await fetch(`${base}/openapi.json`)).text())
  for (const [name, settings] of Object.entries(settingsFiles))
    await writeFile(join(folder, name), JSON.stringify(settings))
  for (const name of ['program.ts', 'program.py', 'webhooks/verify.ts', 'webhooks/verify.py'])
    await copyFile(program(name), join(folder, basename(name)))
  await writeFile(join(folder, 'message.json'), JSON.stringify(await signedMessage({ base, key }, receiver)))
  let [passed, failed] = [0, 0]
  const cli = cliChecks({ folder: join(folder, 'cli'), setting, videos })
  for (const check of [...checksIn(folder, base, key), ...cli])
    try {
      await check.run()
      passed += 1
      console.log(`✓ ${check.title}`)
    } catch (error) {
      failed += 1
      const { message, stdout = '' } = error as Error & { stdout?: string }
      console.log(`✗ ${check.title}\n${message}\n${stdout}`)
    }
  console.log(`\n${passed} passed, ${failed} failed, 0 skipped`)
  return failed === 0
}

if (!generators.every((path) => existsSync(path))) {
  console.error('The generators are not installed. Please run: ops/setup --dev')
  process.exitCode = 1
} else if (!(await main())) process.exitCode = 1
