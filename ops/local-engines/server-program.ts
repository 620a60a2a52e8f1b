import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** Servers that may be installed on the machine. An installed one is used instead of its stand-in. */
export type ServerName = 'eventstoredb' | 'mongodb'

export type ServerProgram = {
  path: string
  /** Name, version and path, such as `eventstored 23.10.5 at /usr/bin/eventstored`. */
  label: string
}

/** The variable that names a program, and its names on the PATH. */
const programs: Readonly<Record<ServerName, { variable: string; names: readonly string[] }>> = {
  eventstoredb: { variable: 'EVENTSTORED', names: ['eventstored', 'kurrentd'] },
  mongodb: { variable: 'MONGOD', names: ['mongod'] },
}

/** The names of the variables and commands that find programs. */
export const programVariables = Object.values(programs).map(({ variable }) => variable)
export const programNames = Object.values(programs).flatMap(({ names }) => names)

/**
 * The program of a server: the one in its variable, else the first on the PATH. An empty variable asks for the
 * stand-in. Undefined: there is none.
 * @throws Error the variable names something else
 */
export async function findServerProgram(
  server: ServerName,
  env: NodeJS.ProcessEnv,
): Promise<ServerProgram | undefined> {
  const { variable, names } = programs[server]
  const given = env[variable]
  if (given === '') return undefined
  if (given !== undefined && !isProgram(given)) throw new Error(`${variable}=${given} is not a program`)
  const path = given ?? onPath(names, env.PATH ?? '')
  return path === undefined ? undefined : { path, label: await labelOf(path) }
}

/** The first executable file of one of these names in the folders of a PATH. */
export function onPath(names: readonly string[], path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

async function labelOf(path: string): Promise<string> {
  const said = await promisify(execFile)(path, ['--version'], { timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    // Its start will show whether it serves.
    () => '',
  )
  const version = /\d+\.\d+\.\d+/.exec(said)?.[0]
  return [basename(path), ...(version === undefined ? [] : [version]), 'at', path].join(' ')
}
