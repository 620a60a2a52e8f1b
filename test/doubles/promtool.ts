import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { leaveOut } from '#test/runner/left-out.ts'

/** The environment for short runs, which would otherwise spend most of their time collecting garbage. */
export const promtoolEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, GOGC: 'off' })

/** Runs promtool. @throws Error with its output if it finds something wrong */
export function promtool(...args: string[]): void {
  const env = promtoolEnvironment()
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
}

/** @throws Error for a query that Prometheus cannot read. @param queries without variables */
export async function assertValid(queries: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'promtool-'))
  try {
    const rules = queries.map((expr, at) => ({ record: `query_${at}`, expr }))
    await writeFile(join(folder, 'rules.yaml'), stringify({ groups: [{ name: 'queries', rules }] }))
    promtool('check', 'rules', join(folder, 'rules.yaml'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Tests that need promtool: left out if it is missing. */
export function describeWithPromtool(title: string, body: () => void): void {
  const isThere = spawnSync('promtool', ['--version']).status === 0
  if (isThere) describe(title, body)
  else leaveOut({ needs: 'promtool', why: "promtool is missing: it is in Debian's package prometheus" }, body)
}
