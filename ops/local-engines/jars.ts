import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** This machine cannot run a server. The message says what is missing. */
export class EngineUnavailableError extends Error {
  readonly code = 'engine_unavailable'
}

const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies'

const run = promisify(execFile)

/**
 * The class path of the jars in a pom.xml. Maven copies the jars once for each version of the file.
 * @throws EngineUnavailableError Java or Maven is missing, or Maven cannot get the jars
 */
export async function classPathOf(pom: string, jarsFolder: string): Promise<string> {
  await run('java', ['-version']).catch(() => {
    throw new EngineUnavailableError('Java 17 is missing (Debian: openjdk-17-jre-headless)')
  })
  const folder = join(jarsFolder, createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12))
  if (!existsSync(folder)) await copyJars(pom, folder)
  return join(folder, '*')
}

async function copyJars(pom: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const part = `${folder}.part-${process.pid}`
  try {
    const words = ['-B', '-q', '-f', pom, COPY, '-DincludeScope=runtime', `-DoutputDirectory=${part}`]
    await run('mvn', words, { timeout: 300_000 })
    await rename(part, folder)
  } catch (error) {
    // Another process may have been first.
    if (existsSync(folder)) return
    const { stdout = '', message, code } = error as Error & { stdout?: string; code?: unknown }
    if (code === 'ENOENT') throw new EngineUnavailableError('Maven is missing (Debian: maven)')
    throw new EngineUnavailableError(`Maven could not get the jars of ${pom}: ${stdout.slice(0, 500) || message}`)
  } finally {
    await rm(part, { recursive: true, force: true })
  }
}
