import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { python } from '#test/doubles/python.ts'
import { modelStore } from '#test/doubles/speech/model-store.ts'
import type { Heard } from '../../service/speech-engine-process.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = join(project, '.rivals/speech')
const requirements = join(project, 'ops/python/requirements-bench.txt')
const ggml = join(folder, 'base.ggml')
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const base = join(modelStore, 'base')
const environment = { PATH: process.env.PATH, PYTHONPATH: folder }

/** Installs what the rivals need beside .venv, and makes whisper.cpp's model of ours, where they are not there. */
export async function prepareRivals(): Promise<void> {
  const [stamp, wanted] = [join(folder, '.stamp'), await readFile(requirements, 'utf8')]
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return
  await mkdir(folder, { recursive: true })
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '--upgrade', '--target', folder]
  await run(python, [...pip, '-r', requirements])
  await run(python, [script('./ct2_to_ggml.py'), base, ggml], { env: environment })
  await writeFile(stamp, wanted)
}

export type SpeechRival = AsyncDisposable & { hear(path: string): Promise<Heard> }

/** Starts a rival in a process of its own (contestant.py), which loads its model first. */
export function startRival(name: string, threads: number): SpeechRival {
  const args = [script('./contestant.py'), name, name === 'whisper.cpp' ? ggml : base, String(threads)]
  const child = spawn(python, args, { env: { ...environment, OMP_NUM_THREADS: String(threads) }, stdio: 'pipe' })
  const exited = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (data: Buffer) => {
    said = `${said}${data}`.slice(-4000)
  })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async hear(path) {
      child.stdin.write(`${path}\n`)
      const { value, done } = await answers.next()
      if (done) throw new Error(`${name} has ended: ${said}`)
      return JSON.parse(value) as Heard
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}
