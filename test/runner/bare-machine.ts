import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { variableOf } from '#ops/local-engines/local-engines.ts'
import { programNames, programVariables } from '#ops/local-engines/server-program.ts'
import { nameOf } from '#test/doubles/engines/describe-on.ts'
import { projectFiles } from '#test/tidy/source-file.ts'
import type { Outcome } from './report.ts'

const hiddenCommands = ['java', 'mvn', ...programNames]

/** Modules that look for Java, Maven and ../shared on behalf of the tests. */
const looks = /^(test\/doubles\/(recordings|engines\/(describe-on|own-engines))|ops\/local-engines\/.+)\.ts$/

/** The requirements whose tests a bare run has to leave out; otherwise it was not bare. */
const lacking = [nameOf.kafka, nameOf.mongodb, 'recordings']

/** A folder of links to all commands of another folder, except the hidden ones. */
async function mirror(commands: string, links: string): Promise<string> {
  await mkdir(links)
  const names = readdirSync(commands).filter((name) => !hiddenCommands.includes(name))
  await Promise.all(names.map((name) => symlink(join(commands, name), join(links, name))))
  return links
}

/**
 * Makes this process and its children see a machine without Java, Maven, servers and ../shared, like a newcomer's. So a
 * machine that has them all shows what fails there.
 */
export async function makeBare(env: NodeJS.ProcessEnv): Promise<AsyncDisposable> {
  const root = await mkdtemp(join(tmpdir(), 'bare-'))
  const hasHidden = (folder: string): boolean => hiddenCommands.some((name) => existsSync(join(folder, name)))
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const bare = folders.map((folder, n) => (hasHidden(folder) ? mirror(folder, join(root, `${n}`)) : folder))
  env.PATH = (await Promise.all(bare)).join(delimiter)
  env.SHARED_FOLDER = join(root, 'absent')
  for (const variable of [...Object.values(variableOf), ...programVariables]) delete env[variable]
  return { [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

/** The test files that look for things that a bare machine does not have. */
export function filesThatLook(): ReadonlySet<string> {
  const looking = projectFiles().filter(({ imports }) =>
    imports.some((to) => to.kind === 'file' && looks.test(to.path)),
  )
  return new Set(looking.map(({ path }) => path))
}

/** A failure for each thing that a bare run has not left out although its tests were there: it was not hidden. */
export function notHidden(ran: readonly Outcome[]): Outcome[] {
  const leftOut = new Set(ran.map(({ lack }) => lack?.needs))
  return lacking
    .filter((needs) => !leftOut.has(needs))
    .map((needs) => ({
      state: 'failed',
      file: 'the bare run',
      title: `leaves out what needs ${needs}`,
      report: 'no test was left out for want of it: it was not hidden, or no test looks for it any more',
      ms: 0,
    }))
}
