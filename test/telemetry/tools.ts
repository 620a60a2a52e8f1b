import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Programs that the suite uses, each by its path or name. Undefined if it is missing. */
export type Tools = {
  prometheus: string | undefined
  promtool: string | undefined
  alertmanager: string | undefined
  amtool: string | undefined
  jaeger: string | undefined
}

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

/** Where to get each of them. */
export const originOf: Readonly<Record<keyof Tools, string>> = {
  prometheus: "Debian's package prometheus",
  promtool: "Debian's package prometheus",
  alertmanager: "Debian's package prometheus-alertmanager",
  amtool: "Debian's package prometheus-alertmanager",
  jaeger: 'ops/observe/build-jaeger',
}
