import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Where to get each program that the suite uses. */
export const originOf = {
  prometheus: "Debian's package prometheus",
  promtool: "Debian's package prometheus",
  alertmanager: "Debian's package prometheus-alertmanager",
  amtool: "Debian's package prometheus-alertmanager",
  jaeger: 'ops/observe/build-jaeger',
} as const

/** The programs, each by its path or name. Undefined if it is missing. */
export type Tools = Record<keyof typeof originOf, string | undefined>

const installed = (name: string): string | undefined => (spawnSync(name, ['--version']).status === 0 ? name : undefined)

function builtJaeger(): string | undefined {
  const path = spawnSync('ops/observe/build-jaeger', ['--path'], { encoding: 'utf8' }).stdout.trim()
  return existsSync(path) ? path : undefined
}

export const findTools = (): Tools => ({
  prometheus: installed('prometheus'),
  promtool: installed('promtool'),
  alertmanager: installed('prometheus-alertmanager'),
  amtool: installed('amtool'),
  jaeger: builtJaeger(),
})
