import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, platformProxy, readConfig, unpaced } from '#packages/foundation/config/config.ts'
import type { Environment } from '#packages/foundation/config/given-text.ts'
import { platformNames } from '#packages/platforms/registry.ts'

/** Variables with the next hop of requests to the outside. */
export const proxies = ['egressProxy', ...platformNames.map(platformProxy)] as const

/** The sandbox's model, unless the operator has set one. */
export const standInModel = 'sandbox-stand-in'

/** A video of the sandbox that has captions. */
const exampleUrl = 'https://www.youtube.com/watch?v=nvlHourCh01'
/** The beginning of its captions. */
export const sandboxWords = 'And Mr. John Dashwood had then leisure to consider …'

/**
 * Values that the documentation shows instead of its examples from the real platforms (contracts/http/openapi.yaml).
 */
export const sandboxExamples: Readonly<Record<string, string>> = {
  'https://media.w3.org/2010/05/sintel/trailer.mp4': 'http://films.example.com/sense-and-sensibility.mp4',
  bbcnews: 'pageturners',
  natgeo: 'garden.almanac',
  veritasium: 'longshelf',
  PLBB231211A4F62143: 'PLlongShelfSandboxAllOfTheBooks001',
}

/** The data directory of the service on the sandbox. */
export const sandboxDataDir = (dataDir: string): string => join(dataDir, 'sandbox')

/**
 * `npm start -- --sandbox`: a configuration with the sandbox as its outside world, for developers of clients. Its data
 * are in a separate folder. Without `--sandbox`, returns the configuration of the environment.
 * @throws ConfigError; Error if the environment names a real egress proxy
 */
export async function withSandbox(
  environment: Environment,
  args: string[],
): Promise<{ config: Config; isSandbox: boolean } & AsyncDisposable> {
  const { values } = parseArgs({ args, options: { sandbox: { type: 'boolean', default: false } } })
  if (!values.sandbox) return { config: readConfig(environment), isSandbox: false, async [Symbol.asyncDispose]() {} }
  const config = readConfig({ ...environment, ...unpaced(environment) })
  if (proxies.some((name) => config[name] !== undefined))
    throw new Error('--sandbox takes the place of EGRESS_PROXY and its kin: unset them')
  const { startSandboxWorld } = await import('#services/sandbox/world.ts')
  const world = await startSandboxWorld()
  const { proxyUrl: egressProxy, caFile: egressCaFile, searxngUrl, modelsUrl } = world
  // A model that the operator has set replaces the stand-in.
  const model = config.llmBaseUrl === undefined ? { llmBaseUrl: modelsUrl, llmModel: standInModel } : {}
  // Developers who want a speech endpoint and have none get a stand-in for it too.
  const wantsSpeech = config.speechEngine === 'endpoint' && config.speechBaseUrl === undefined
  const speech = wantsSpeech ? { speechBaseUrl: modelsUrl, speechModel: standInModel } : {}
  const dataDir = sandboxDataDir(config.dataDir)
  return {
    config: {
      ...config,
      egressProxy,
      egressCaFile,
      searxngUrl,
      dataDir,
      exampleUrl,
      webhooksAllowHttp: '1',
      ...model,
      ...speech,
    },
    isSandbox: true,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
