/**
 * `npm run test:schemathesis`: calls every operation of /openapi.json with thousands of generated requests, good and
 * bad, and checks each answer against the document. `--seed N` generates others, `--examples N` more of them. The last
 * line is `N passed, N failed`; exits 1 if anything failed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { STAND_IN } from '#services/sandbox/llm/stand-in-models.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { mediaSite } from '#test/doubles/world/media.ts'
import { type Bounds, configurationOf, type Document, leftOut, operationsOf } from './configuration.ts'
import { outcomeOf, type Report } from './outcome.ts'

const program = fileURLToPath(new URL('../../.venv/bin/schemathesis', import.meta.url))
const hooks = fileURLToPath(new URL('checks.py', import.meta.url))

/** Files of the world. */
const media = ['speech.mp4', 'captioned.mp4', 'notes.mp4']
const credits = 1_000_000

/** The longest that schemathesis may take, milliseconds: a base time, and a time for each example of an operation. */
const patience = { base: 120_000, perExample: 2000 }

/** Limits that these requests must not reach. The limit of requests without a known key cannot be raised. */
const env = { RATE_LIGHT_PER_MINUTE: '1000000', RATE_POLLS_PER_MINUTE: '1000000', RATE_HEAVY_FACTOR: '10000' }

async function documentOf(base: string): Promise<Document> {
  const response = await fetch(`${base}/openapi.json`)
  return (await response.json()) as Document
}

/** Makes an organization as an operator does. @returns its key */
async function customer({ service }: SandboxSetting): Promise<{ keyId: string; key: string }> {
  const made = await service.org('create', 'Schemathesis', '--plan', 'pro', '--json')
  const { orgId, keyId, key } = JSON.parse(made.stdout) as { orgId: string; keyId: string; key: string }
  const granted = await service.org('grant', orgId, String(credits))
  if (granted.code !== 0) throw new Error(granted.stderr)
  return { keyId, key }
}

type RunOptions = { cwd: string; env: Record<string, string>; timeout: number }

/** Runs schemathesis in `cwd`, where it keeps its files. Its output goes to ours. */
async function run(words: readonly string[], { cwd, env, timeout }: RunOptions): Promise<void> {
  const variables = { ...process.env, ...env }
  const child = spawn(program, words, { stdio: 'inherit', cwd, env: variables, timeout, killSignal: 'SIGKILL' })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code === null) throw new Error(`schemathesis did not end within ${timeout / 1000} s (${signal})`)
}

/** @returns whether nothing failed */
async function main(bounds: Bounds): Promise<boolean> {
  await using directory = await temporaryDirectory()
  await using setting = await SandboxSetting.start({
    also: [await mediaSite('*.example.com', media)],
    env: ({ modelsUrl }) => ({ ...env, LLM_BASE_URL: modelsUrl, LLM_MODEL: STAND_IN }),
  })
  const { base } = setting.service
  const document = await documentOf(base)
  const { key, keyId } = await customer(setting)

  const configuration = join(directory.path, 'schemathesis.toml')
  const report = join(directory.path, 'report.json')
  const given = { key, hooks, files: media, bounds }
  await writeFile(configuration, configurationOf(document, given))
  for (const [check, why] of Object.entries(leftOut)) console.log(`Left out: ${check}; ${why}.`)
  const words = ['--config-file', configuration, 'run', `${base}/openapi.json`]
  const timeout = patience.base + patience.perExample * bounds.maxExamples
  const options = { cwd: directory.path, env: { OWN_KEY_ID: keyId }, timeout }
  await run([...words, '--report', 'json', '--report-json-path', report], options)

  const labels = operationsOf(document).map(({ label }) => label)
  const outcome = outcomeOf(JSON.parse(await readFile(report, 'utf8')) as Report, labels)
  for (const complaint of outcome.complaints) console.log(`✗ ${complaint}`)
  console.log(`${outcome.passed} passed, ${outcome.failed} failed`)
  return outcome.failed === 0
}

/** @throws Error if an option is no number */
function boundsOf(words: readonly string[]): Bounds {
  const option = (value: string) => ({ type: 'string', default: value }) as const
  const { values } = parseArgs({ args: [...words], options: { seed: option('1'), examples: option('100') } })
  const [seed, maxExamples] = [Number(values.seed), Number(values.examples)]
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('--seed takes a whole number')
  if (!Number.isSafeInteger(maxExamples) || maxExamples < 1) throw new Error('--examples takes a number from 1')
  return { seed, maxExamples, maxSteps: 6 }
}

if (!existsSync(program)) {
  console.error('schemathesis is not installed. Please run: ops/setup --dev')
  process.exitCode = 1
} else if (!(await main(boundsOf(process.argv.slice(2))))) process.exitCode = 1
