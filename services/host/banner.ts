import { dirname, resolve } from 'node:path'
import { type Config, variables } from '#packages/foundation/config/config.ts'
import { enginesOf } from './engines.ts'
import { localUrl } from './local-url.ts'
import { proxies, standInModel } from './sandbox.ts'

/** The details of the running service that the banner shows. */
export type Served = {
  config: Config
  isSandbox: boolean
  dataPath: string
  port: number
  /** Undefined if another process does speech-to-text. */
  speech?: { description: string } | undefined
  /** The sign-up link for the first owner, until an account exists. */
  firstOwner?: string | undefined
}

/** The text printed once the service answers: its address, its engines, and the next commands. */
export function banner(served: Served): string {
  const { config, isSandbox, dataPath, port, speech } = served
  const rows = {
    'base URL': `${localUrl(config.host, port)}   (documentation: /docs)`,
    data: dataPath,
    adapters: enginesOf(config),
    speech: speech?.description,
    model: modelOf(served),
    egress: egressOf(served),
  }
  const lines = Object.entries(rows).map(([name, text]) => text && `  ${name.padEnd(11)}${text}\n`)
  return `
Video Intelligence Service

${lines.filter(Boolean).join('')}
${dashboardOf(served)}  A key:     ${homeOf(served)}npm run org -- create "My organization"${isSandbox ? ' --sandbox' : ''}
  Stop:      Ctrl-C
`
}

function dashboardOf({ config, port, firstOwner }: Served): string {
  if (config.dashboard === 'off') return ''
  const first = firstOwner && `  First owner, once, within an hour:\n             ${firstOwner}\n`
  return `  Dashboard: ${config.publicUrl ?? localUrl(config.host, port)}/dashboard\n${first ?? ''}`
}

/** Omitted for the default directory, because the command finds that by itself. */
function homeOf({ isSandbox, dataPath }: Served): string {
  const { variable, fallback } = variables.dataDir
  const home = isSandbox ? dirname(dataPath) : dataPath
  return home === resolve(fallback) ? '' : `${variable}=${home} `
}

function modelOf({ config: { llmBaseUrl, llmModel } }: Served): string | undefined {
  if (llmModel === standInModel) return `${standInModel}: fills a schema, understands nothing`
  return llmBaseUrl && `${llmModel} at ${variables.llmBaseUrl.variable}`
}

function egressOf({ config, isSandbox }: Served): string | undefined {
  if (isSandbox) return 'THE SANDBOX: an invented world on this machine (services/sandbox/README.md)'
  const set = proxies.filter((name) => config[name] !== undefined)
  return set.length === 0 ? undefined : `through ${set.map((name) => variables[name].variable).join(', ')}`
}
