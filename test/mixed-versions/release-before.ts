/** The code before the newest version of an event was added. It may still run somewhere during an update. */
import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import type { Lack } from '#test/runner/left-out.ts'

const project = fileURLToPath(new URL('../../', import.meta.url))

const git = (...words: string[]): string =>
  execFileSync('git', words, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** Schemas of events in any version but the first. */
const laterSchemas = ['contracts/events/*.v[2-9].json', 'contracts/events/*.v[1-9][0-9].json']

/** The commit before the one that added the newest of these schemas; a lack where the git history is too short. */
export function commitBefore(): string | Lack {
  const needs = 'the history of this repository'
  try {
    const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', ...laterSchemas)
    return git('rev-parse', '--verify', '--quiet', `${added}^`)
  } catch {
    return { needs, why: 'the commit before the newest version of an event is not there' }
  }
}

/** That commit's files in a folder of their own, on the packages that are installed here. Disposing removes it. */
export async function checkedOut(commit: string): Promise<{ path: string } & AsyncDisposable> {
  const directory = await temporaryDirectory()
  const archive = execFileSync('git', ['archive', commit], { cwd: project, maxBuffer: 256 * 1_048_576 })
  execFileSync('tar', ['-x', '-C', directory.path], { input: archive })
  for (const installed of ['node_modules', '.venv', '.media'])
    await symlink(join(project, installed), join(directory.path, installed))
  return directory
}
