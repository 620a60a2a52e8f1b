import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { freePorts } from '#ops/local-engines/ports.ts'
import { signatureHeaders } from '#packages/jobs/webhooks/sign.ts'
import { until } from '#test/doubles/service/until.ts'
import { printed } from '../programs.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const client = resolve('packages/client-python')
const python = resolve('.venv/bin/python')

/** The tools that `ops/setup --dev` installs for these checks. The wheels are the client's dependencies. */
export const pythonTools = { wheels: resolve('.clients/wheels'), mypy: resolve('.venv/bin/mypy') }

export type PackedPythonOptions = {
  /** An empty folder for the project. */
  folder: string
  base: string
  key: string
  videos: { captioned: string; hidden: string }
  /** A file with a SignedMessage. */
  messageFile: string
  /** The expected output of `program.py`, once for each client. */
  expected: unknown
}

/** A program that is an example of the README. */
type Example = { name: string; source: string }

async function readmeExamples(): Promise<Example[]> {
  const readme = await readFile(join(client, 'README.md'), 'utf8')
  return [...readme.matchAll(/^```python\n(.*?)^```$/gms)].map(([, source = ''], at) => ({
    name: `example_${at + 1}.py`,
    source,
  }))
}

/** Whether an example is a server, which runs until it is ended. */
const isServer = ({ source }: Example): boolean => source.includes('serve_forever')

/** Posts a signed message and a changed one to the receiver of the README. @throws Error unless it takes only the first */
async function postToReceiver(folder: string, file: string): Promise<void> {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const [port] = await freePorts(1)
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) }
  const receiver = spawn(join(folder, 'venv/bin/python'), [file], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(receiver, 'exit')
  try {
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]()
    const body = JSON.stringify({ type: 'job.completed', timestamp: new Date().toISOString(), data: { jobId: 'j7' } })
    const headers = signatureHeaders([secret], { id: 'd', timestamp: Math.floor(Date.now() / 1000), body })
    // Retries a request: the receiver closes each connection, perhaps after a request was sent on it.
    const post = (text: string) =>
      until('the receiver answers', async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: text }).catch(
          () => null,
        )
        return answer?.status
      })
    const status = await post(body)
    const changed = await post(body.replace('j7', 'j8'))
    const { value: line } = await lines.next()
    if (status !== 204 || changed !== 400 || line !== 'j7')
      throw new Error(`it answered ${status}, ${changed}: ${line}`)
  } finally {
    receiver.kill()
    await ended
  }
}

/** The checks of the packed Python client, in order. */
export function packedPythonChecks(options: PackedPythonOptions): { title: string; run(): Promise<void> }[] {
  const { folder, base, key, videos, messageFile, expected } = options
  const empty = join(folder, 'venv')
  const inEmpty = (words: readonly string[], more = {}) => printed(folder, join(empty, 'bin/python'), words, more)
  return [
    {
      title: 'what is generated of packages/client-python is as openapi.json and its client with `await` say',
      async run() {
        await printed('.', python, ['ops/contracts/python_client.py', '--check'])
      },
    },
    {
      title: 'packages/client-python is built, and installs with httpx into an empty environment',
      async run() {
        await mkdir(folder, { recursive: true })
        await printed(client, python, ['-m', 'hatchling', 'build', '--target', 'wheel', '--directory', folder])
        const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? ''
        const { version } = JSON.parse(await readFile('package.json', 'utf8'))
        if (wheel !== `video_intelligence-${version}-py3-none-any.whl`) throw new Error(`built: ${wheel}`)
        await printed(folder, python, ['-m', 'venv', '--without-pip', empty])
        const alone = ['--isolated', '--no-index', '--find-links', pythonTools.wheels, '--disable-pip-version-check']
        await printed(folder, python, ['-m', 'pip', '--python', empty, 'install', ...alone, wheel])
      },
    },
    {
      title: 'the packed Python client works with `await` and without',
      async run() {
        const words = [fileOf('program.py'), base, key, videos.captioned, videos.hidden, messageFile]
        const got = JSON.parse((await inEmpty(words)).stdout)
        if (!isDeepStrictEqual(got, [expected, expected])) throw new Error(`it got ${JSON.stringify(got)}`)
      },
    },
    {
      title: 'its retries, streams and errors are those of the TypeScript client',
      async run() {
        const [library = ''] = await readdir(join(empty, 'lib'))
        const more = { PYTHONPATH: join(empty, 'lib', library, 'site-packages'), PYTHONDONTWRITEBYTECODE: '1' }
        const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'no:schemathesis', join(client, 'tests')]
        const { stdout } = await printed(folder, python, words, more)
        console.log(`  ${stdout.trim().split('\n').at(-1)}`)
      },
    },
    {
      title: 'mypy accepts a program and the README’s examples on its types, and refuses bodies that are none',
      async run() {
        const examples = await readmeExamples()
        for (const { name, source } of examples) await writeFile(join(folder, name), source)
        const programs = [fileOf('customer_types.py'), ...examples.map(({ name }) => name)]
        const strict = ['--strict', '--scripts-are-modules', '--python-executable', join(empty, 'bin/python')]
        await printed(folder, pythonTools.mypy, [...strict, ...programs])
      },
    },
    {
      title: 'the examples of its README run',
      async run() {
        const examples = await readmeExamples()
        const more = { VIDEO_INTELLIGENCE_URL: base, VIDEO_INTELLIGENCE_KEY: key }
        for (const { name } of examples.filter((one) => !isServer(one))) await inEmpty([name], more)
        const [receiver, ...others] = examples.filter(isServer)
        if (receiver === undefined || others.length > 0) throw new Error('the README has no receiver, or several')
        await postToReceiver(folder, receiver.name)
      },
    },
  ]
}
