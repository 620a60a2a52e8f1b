import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { python } from '#test/doubles/python.ts'
import type { Outside } from '../../service/sandboxed-service.ts'

const project = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = join(project, '.rivals/captions')
const requirements = join(project, 'ops/python/requirements-captions.txt')
const script = fileURLToPath(new URL('./contestant.py', import.meta.url))

/** Installs youtube-transcript-api beside .venv where it is not there. */
async function install(): Promise<void> {
  const [stamp, wanted] = [join(folder, '.stamp'), await readFile(requirements, 'utf8')]
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return
  await mkdir(folder, { recursive: true })
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '--upgrade', '--target', folder]
  await promisify(execFile)(python, [...pip, '-r', requirements])
  await writeFile(stamp, wanted)
}

export type TranscriptApi = AsyncDisposable & {
  /** Reads the captions of a video. @returns how long it took, milliseconds */
  read(id: string): Promise<number>
}

/** Starts youtube-transcript-api in a process of its own, with one session for all that it reads. */
export async function startTranscriptApi({ proxyUrl, caFile }: Outside): Promise<TranscriptApi> {
  await install()
  const env = { PATH: process.env.PATH, PYTHONPATH: folder }
  const child = spawn(python, [script, proxyUrl, caFile], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (data: Buffer) => {
    said = `${said}${data}`.slice(-4000)
  })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async read(id) {
      child.stdin.write(`${id}\n`)
      const { value, done } = await answers.next()
      if (done) throw new Error(`youtube-transcript-api has ended: ${said}`)
      const { milliseconds, lines } = JSON.parse(value) as { milliseconds: number; lines: number }
      if (lines === 0) throw new Error('youtube-transcript-api has read nothing')
      return milliseconds
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}
