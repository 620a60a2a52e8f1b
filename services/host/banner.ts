import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import { isLoopback } from '#packages/foundation/config/address.ts'
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
  /** The words before a command that runs in this container; undefined outside of containers. */
  inContainer?: string | undefined
}

/** The files that Docker and Podman put into their containers. Both name a container by its host name too. */
const markers = { docker: '/.dockerenv', podman: '/run/.containerenv' }

/**
 * How a user of the machine runs a command in this process's container, such as `docker exec 5d1c0ffee123`. A container
 * on the machine's own network has the machine's host name, so `CONTAINER` stands for its own.
 */
export function containerCommand(): string | undefined {
  // In a container for development a shell has started it, which runs the command too.
  if (process.ppid !== 1) return undefined
  const program = Object.entries(markers).find(([, path]) => existsSync(path))?.[0]
  return program && `${program} exec ${/^[0-9a-f]{12}$/.test(hostname()) ? hostname() : 'CONTAINER'}`
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
    PUBLIC_URL: adviceOf(served),
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

/** Without a public URL, nobody beyond this machine can sign in, and errors lead to no documentation. */
function adviceOf({ config: { host, publicUrl } }: Served): string | undefined {
  if (isLoopback(host) || publicUrl !== undefined) return undefined
  return 'unset: the dashboard opens on this machine only. Set it to the https address of your proxy'
}

/**
 * The words before a command that tell it where the data is. Omitted for the default directory, which the command finds
 * by itself.
 */
function homeOf({ isSandbox, dataPath, inContainer }: Served): string {
  if (inContainer !== undefined) return `${inContainer} `
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
