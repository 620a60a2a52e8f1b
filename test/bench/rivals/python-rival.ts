import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { python } from '#test/doubles/python.ts'

const project = fileURLToPath(new URL('../../../', import.meta.url))

/** The folder of a rival's packages, beside .venv. */
export const rivalFolder = (name: string): string => join(project, '.rivals', name)

export const rivalEnvironment = (folder: string) => ({ PATH: process.env.PATH, PYTHONPATH: folder })

/** Installs a rival's packages if they are missing. @param and prepares anything else that the rival needs */
export async function installRival(folder: string, requirements: string, and = async () => {}): Promise<void> {
  const list = join(project, 'ops/python', requirements)
  const [stamp, wanted] = [join(folder, '.stamp'), await readFile(list, 'utf8')]
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return
  await mkdir(folder, { recursive: true })
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '--upgrade', '--target', folder]
  await promisify(execFile)(python, [...pip, '-r', list])
  await and()
  await writeFile(stamp, wanted)
}

/** A program in a process of its own that answers each line with a line of JSON. */
export type LineProcess = AsyncDisposable & { ask(line: string): Promise<unknown> }

export function startLineProcess(name: string, args: string[], env: NodeJS.ProcessEnv): LineProcess {
  const child = spawn(python, args, { env, stdio: 'pipe' })
  const exited = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (data: Buffer) => {
    said = `${said}${data}`.slice(-4000)
  })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`)
      const { value, done } = await answers.next()
      if (done) throw new Error(`${name} has ended: ${said}`)
      return JSON.parse(value)
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}
