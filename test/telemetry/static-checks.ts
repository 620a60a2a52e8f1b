/** The tools that read the files of ops/ accept them. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ruleFile } from '#ops/alerts/rules.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { HURRY } from './observers.ts'
import type { Report } from './report.ts'
import { originOf, type Tools } from './tools.ts'

const run = promisify(execFile)

/** @throws Error with the program's output */
async function accepts(program: string, words: readonly string[]): Promise<string> {
  await run(program, [...words]).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}`.trim() || error.message)
  })
  return ''
}

export async function checkFiles(report: Report, tools: Tools): Promise<void> {
  await using directory = await temporaryDirectory()
  const live = join(directory.path, 'live.yaml')
  await writeFile(live, ruleFile({ dividedBy: HURRY }))
  const checks: readonly [tool: keyof Tools, ...words: string[]][] = [
    ['promtool', 'check', 'config', 'ops/observe/prometheus.yaml'],
    ['promtool', 'check', 'rules', 'ops/alerts/generated/video-intelligence.yaml', live],
    ['amtool', 'check-config', 'ops/observe/alertmanager.yaml'],
    ['jaeger', 'validate', '--config', 'ops/observe/collector.yaml'],
  ]
  for (const [tool, ...words] of checks) {
    const program = tools[tool]
    const what = `${tool} ${words.filter((word) => word !== live).join(' ')}`
    if (program === undefined) report.leaveOut(what, `${tool} is missing (${originOf[tool]})`)
    else await report.check(what, () => accepts(program, words))
  }
}
