import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, matchesGlob, resolve } from 'node:path'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

const read = (path: string): string => readFileSync(path, 'utf8')

/** The instructions of ops/Dockerfile, one per line. */
export const instructions = read('ops/Dockerfile')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))

/** What follows the name of an instruction, for each such instruction. */
export const argumentsOf = (name: string): string[] =>
  instructions.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []))

/** The variables that the image sets. */
export const variablesOfImage = (): Record<string, string> =>
  Object.fromEntries(argumentsOf('ENV').flatMap((words) => words.split(/\s+/).map((word) => word.split('='))))

/** The paths sent to the builder, after `!`, and the exceptions. */
export const sent = read('.dockerignore')
  .split('\n')
  .filter((line) => /^[^#]/.test(line))

type Lock = { packages: Record<string, { dev?: boolean }> }

/** The packages that `npm ci --omit=dev` would put directly into node_modules, as installed here. */
const productionPackages = (): string[] =>
  Object.entries((JSON.parse(read('package-lock.json')) as Lock).packages)
    .filter(([path, { dev }]) => dev !== true && /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path))
    .map(([path]) => path)
    .filter((path) => globSync(path).length > 0)

/** Builds the image's folder /app from this machine's files: those that ops/Dockerfile copies, and the packages. */
export async function imageFolder(): Promise<{ path: string } & AsyncDisposable> {
  const folder = await temporaryDirectory()
  const left = sent.filter((line) => line !== '*' && !line.startsWith('!'))
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))
  const filter = (path: string): boolean => !left.some((pattern) => matchesGlob(path, pattern))
  for (const line of last) {
    const [, words = ''] = /^COPY (?!--from=)(.+)$/.exec(line) ?? []
    const paths = words.split(' ')
    const to = paths.pop() ?? ''
    for (const path of paths)
      cpSync(path, join(folder.path, to, to.endsWith('/') ? basename(path) : ''), { recursive: true, filter })
  }
  // Files that other stages make.
  for (const path of [...productionPackages(), '.venv', '.models']) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    symlinkSync(resolve(path), join(folder.path, path))
  }
  return folder
}
